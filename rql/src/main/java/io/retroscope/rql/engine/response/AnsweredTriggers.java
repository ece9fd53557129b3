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
 * THEN: of the triggers since the last answer or excuse, the oldest that is answered in time makes
 * a row. Used by one thread.
 */
final class AnsweredTriggers extends ResponsePattern {
  private final boolean lasts;
  private final Deque<Open> open = new ArrayDeque<>();
  private long triggers;

  /** A trigger that may still be answered in time. */
  private record Open(Trigger trigger, CutRow row, long cutsBefore) {}

  AnsweredTriggers(ResponseRows rows, long forMicros, long withinMicros) {
    super(rows, forMicros, withinMicros);
    this.lasts = forMicros > 0;
  }

  @Override
  public boolean wantsRow(boolean first, boolean atStart) {
    return first && !lasts;
  }

  @Override
  void trigger(Trigger trigger) {
    triggers++;
    forgetBefore(trigger.hlc());
    CutRow row = lasts ? rows().afterCut(trigger.hlc()) : trigger.row();
    if (row != null) {
      rows().held(1);
      open.add(new Open(trigger, row, rows().cutsBefore()));
    }
  }

  /** Forgets triggers that can no longer be answered in time. */
  private void forgetBefore(long hlc) {
    while (!open.isEmpty() && deadline(open.element().trigger()) < hlc) {
      open.remove();
      rows().held(-1);
    }
  }

  @Override
  void resolved(long hlc, boolean byExpected) {
    forgetBefore(hlc);
    Open answered = byExpected ? open.peek() : null;
    rows().held(-open.size());
    open.clear();
    long covered = triggers;
    triggers = 0;
    if (answered != null) {
      send(answered, hlc, covered);
    }
  }

  private void send(Open answered, long hlc, long covered) {
    Trigger trigger = answered.trigger();
    CutTime time = rows().time(hlc);
    long micros = HlcTimestamp.micros(hlc) - HlcTimestamp.micros(trigger.hlc());
    OptionalLong uncertainty = trigger.uncertainty(hlc, time);
    ResponseCells cells =
        new ResponseCells(
            trigger,
            covered,
            rows().isLost(trigger.hlc(), hlc),
            ResponseCells.borderline(uncertainty, withinMicros() - micros));
    TreeSet<String> missing = new TreeSet<>(answered.row().missing());
    missing.addAll(rows().missing());
    @Nullable CutTime endTime = observedAt(hlc) ? time : null;
    long cuts = rows().cutsBefore() - answered.cutsBefore();
    rows()
        .send(
            rows()
                .columns(cells.ofInterval())
                .interval(answered.row(), uncertainty, hlc, endTime, cuts, false, missing));
  }

  @Override
  long nextDeadline() {
    return CutTimers.NEVER;
  }

  @Override
  void expire(long hlc) {
    throw new AssertionError("THEN has no deadlines");
  }

  @Override
  boolean isIdle(long hlc) {
    forgetBefore(hlc);
    return open.isEmpty();
  }

  @Override
  public void forgetOver(long hlc) {
    if (isIdle(hlc)) {
      triggers = 0;
    }
  }

  @Override
  void close(long hlc) {
    forgetBefore(hlc);
    rows().undecided(open.stream().filter(one -> deadline(one.trigger()) > hlc).count());
  }
}
