// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine.response;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.rql.cut.state.CutTime;
import io.retroscope.rql.cut.state.CutTimers;
import io.retroscope.rql.engine.run.CutRow;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.OptionalLong;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * NOT THEN: the oldest trigger since the last answer or excuse makes a row when its deadline has
 * passed. Used by one thread.
 */
final class OverdueTriggers extends ResponsePattern {
  private final boolean makesEdges;
  private final Deque<Trigger> later = new ArrayDeque<>();
  private @Nullable Trigger oldest;
  private @Nullable CutRow row;
  private boolean overdue;
  private long triggers;
  private long cutsAtDeadline;

  /**
   * Creates a pattern without triggers.
   *
   * @param makesEdges whether rows are edges instead of intervals
   */
  OverdueTriggers(ResponseRows rows, long forMicros, long withinMicros, boolean makesEdges) {
    super(rows, forMicros, withinMicros);
    this.makesEdges = makesEdges;
  }

  @Override
  void trigger(Trigger trigger) {
    triggers++;
    if (oldest == null) {
      oldest = trigger;
    } else if (makesEdges) {
      rows().held(1);
      later.add(trigger);
    }
  }

  @Override
  long nextDeadline() {
    if (oldest == null) {
      return CutTimers.NEVER;
    }
    if (!overdue) {
      return deadline(oldest);
    }
    return later.isEmpty() ? CutTimers.NEVER : deadline(later.element());
  }

  @Override
  void expire(long hlc) {
    boolean repeats = overdue;
    if (repeats) {
      later.remove();
      rows().held(-1);
    }
    CutRow late = rows().afterCut(hlc);
    if (!repeats) {
      overdue = true;
      row = late;
      cutsAtDeadline = rows().cuts();
    }
    if (makesEdges && late != null) {
      edge(late, hlc, true, repeats);
    }
  }

  @Override
  void resolved(long hlc, boolean byExpected) {
    if (overdue && row != null) {
      if (makesEdges) {
        edge(rows().ofCut(hlc), hlc, false, false);
      } else {
        interval(row, hlc, rows().time(hlc), rows().cutsBefore() - cutsAtDeadline, false);
      }
    }
    if (oldest != null && !overdue && byExpected) {
      rows().inTime(withinMicros(), oldest.begunHlc(), oldest.begun(), hlc, rows().time(hlc));
    }
    oldest = null;
    row = null;
    overdue = false;
    triggers = 0;
    rows().held(-later.size());
    later.clear();
  }

  private void edge(CutRow cut, long hlc, boolean rise, boolean repeats) {
    CutTime time = rise ? ResponseRows.noTime(hlc) : cut.time();
    rows().send(rows().columns(cells(hlc, time).ofEdge(repeats)).edge(cut, rise));
  }

  private void interval(
      CutRow late, long hlc, @Nullable CutTime time, long cutsAfter, boolean open) {
    TreeSet<String> missing = new TreeSet<>(late.missing());
    missing.addAll(rows().missing());
    CutTime known = time == null ? ResponseRows.noTime(hlc) : time;
    rows()
        .send(
            rows()
                .columns(cells(hlc, known).ofInterval())
                .interval(late, uncertainty(hlc, known), hlc, time, cutsAfter, open, missing));
  }

  /** The deadline is as uncertain as its trigger. */
  private OptionalLong uncertainty(long hlc, CutTime time) {
    return oldest == null ? OptionalLong.empty() : oldest.uncertainty(hlc, time);
  }

  private ResponseCells cells(long hlc, CutTime time) {
    if (oldest == null) {
      throw new AssertionError("a row without a trigger");
    }
    long late = HlcTimestamp.micros(hlc) - HlcTimestamp.micros(deadline(oldest));
    return new ResponseCells(
        oldest,
        triggers,
        rows().isLost(oldest.hlc(), hlc),
        ResponseCells.borderline(oldest.uncertainty(hlc, time), late));
  }

  @Override
  boolean isIdle(long hlc) {
    return oldest == null;
  }

  @Override
  public void forgetOver(long hlc) {}

  @Override
  void close(long hlc) {
    if (overdue && row != null && !makesEdges) {
      interval(row, hlc, null, rows().cuts() - cutsAtDeadline, true);
    }
    rows().undecided(oldest != null && !overdue ? triggers : 0);
  }
}
