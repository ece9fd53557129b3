// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine.response;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Value;
import io.retroscope.rql.ast.Statement.Emit;
import io.retroscope.rql.cut.state.CutTime;
import io.retroscope.rql.cut.state.CutTimers;
import io.retroscope.rql.engine.run.CutRow;
import io.retroscope.rql.engine.run.Emission;
import io.retroscope.rql.engine.run.Emissions;
import io.retroscope.rql.engine.run.ResultColumns;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * AFTER and NOT AFTER: the runs of WHEN whose trigger follows the expected, or does not. Used by
 * one thread.
 */
final class PrecededRuns extends ResponsePattern {
  private final boolean negated;
  private final Emit emit;
  private final Emissions.Outlet outlet;
  private final Deque<HeldRun> undecided = new ArrayDeque<>();
  private HeldRun current;
  private boolean everHeld;
  private long lastHeld;
  private CutTime lastHeldTime = ResponseRows.noTime(HlcTimestamp.MIN_PACKED);

  /** A run, with its rows, which are sent only if its trigger qualifies. */
  private static final class HeldRun {
    private final ResultColumns columns;
    private final Emission emission;
    private boolean decided;
    private boolean wanted;
    private @Nullable Runnable end;

    HeldRun(ResultColumns columns, Emission emission) {
      this.columns = columns;
      this.emission = emission;
    }
  }

  PrecededRuns(
      ResponseRows rows,
      long forMicros,
      long withinMicros,
      boolean negated,
      Emit emit,
      Emissions.Outlet outlet) {
    super(rows, forMicros, withinMicros);
    this.negated = negated;
    this.emit = emit;
    this.outlet = outlet;
    this.current = nextRun();
  }

  private HeldRun nextRun() {
    ResultColumns columns = rows().columns(List.of());
    return new HeldRun(columns, Emissions.of(emit, columns, outlet));
  }

  @Override
  public void observe(long hlc, boolean isExpected, boolean isExcused) {
    if (isExpected) {
      everHeld = true;
      lastHeld = hlc;
      lastHeldTime = rows().time(hlc);
    } else if (isExpectedNow()) {
      lastHeld = hlc - 1;
    }
    super.observe(hlc, isExpected, isExcused);
  }

  @Override
  public void observeSame(long hlc, @Nullable CutTime time) {
    if (time != null) {
      lastHeld = hlc;
      lastHeldTime = time;
    }
    super.observeSame(hlc, time);
  }

  @Override
  public boolean needsTime() {
    return isExpectedNow();
  }

  @Override
  public boolean wantsRow(boolean first, boolean atStart) {
    return current.emission.wantsRow(first, atStart);
  }

  @Override
  public void begin(long hlc, @Nullable CutRow cut, boolean atStart) {
    current = nextRun();
    super.begin(hlc, cut, atStart);
    current.emission.begin(hlc, cut, atStart);
  }

  @Override
  public void proceed(@Nullable CutRow cut, SortedSet<String> missing) {
    if (isWanted(current)) {
      current.emission.proceed(cut, missing);
    }
  }

  @Override
  public void proceed(long more, SortedSet<String> missing) {
    if (isWanted(current)) {
      current.emission.proceed(more, missing);
    }
  }

  private static boolean isWanted(HeldRun run) {
    return run.wanted || !run.decided;
  }

  @Override
  public void qualify() {
    undecided.add(current);
    super.qualify();
  }

  @Override
  public void discard() {
    current.emission.discard();
  }

  @Override
  void trigger(Trigger trigger) {
    HeldRun run = undecided.remove();
    run.decided = true;
    run.wanted = isPreceded(trigger.hlc()) != negated;
    if (negated && !run.wanted && everHeld && !isExpectedNow()) {
      rows().inTime(withinMicros(), lastHeld, lastHeldTime, trigger.hlc(), trigger.begun());
    }
    if (!run.wanted) {
      run.emission.discard();
      return;
    }
    ResponseCells cells =
        new ResponseCells(
            trigger,
            1,
            rows().isLost(windowStart(trigger.hlc()), trigger.hlc()),
            borderline(trigger));
    run.columns.setOfResponse(emit == Emit.EDGES ? cells.ofEdge(false) : cells.ofInterval());
    run.emission.qualify();
    if (run.end != null) {
      run.end.run();
    }
  }

  private boolean isPreceded(long hlc) {
    return isExpectedNow() || (everHeld && lastHeld >= windowStart(hlc));
  }

  /** The first stamp at which the expected counts for a trigger. */
  private long windowStart(long hlc) {
    long micros = HlcTimestamp.micros(hlc);
    return micros < withinMicros()
        ? HlcTimestamp.MIN_PACKED
        : HlcTimestamp.pack(micros - withinMicros());
  }

  private Value borderline(Trigger trigger) {
    boolean anyTime = withinMicros() == Long.MAX_VALUE || !everHeld;
    if (anyTime || isExpectedNow()) {
      return Value.of(false);
    }
    long start = HlcTimestamp.micros(trigger.hlc()) - withinMicros();
    long distance = HlcTimestamp.micros(lastHeld) - start;
    return ResponseCells.borderline(trigger.uncertainty(lastHeld, lastHeldTime), distance);
  }

  @Override
  void resolved(long hlc, boolean byExpected) {}

  @Override
  long nextDeadline() {
    return CutTimers.NEVER;
  }

  @Override
  void expire(long hlc) {
    throw new AssertionError("AFTER has no deadlines");
  }

  @Override
  public boolean wantsEnd() {
    return isWanted(current) && current.emission.wantsEnd();
  }

  @Override
  public void end(long hlc, CutTime time, SortedSet<String> missing, @Nullable CutRow cut) {
    HeldRun run = current;
    if (run.wanted) {
      run.emission.end(hlc, time, missing, cut);
    } else if (!run.decided) {
      SortedSet<String> here = new TreeSet<>(missing);
      run.end = () -> run.emission.end(hlc, time, here, cut);
    }
  }

  @Override
  public void endOfRange(long hlc) {
    if (current.wanted) {
      current.emission.endOfRange(hlc);
    }
  }

  @Override
  boolean isIdle(long hlc) {
    return false;
  }

  @Override
  public void forgetOver(long hlc) {}

  @Override
  void close(long hlc) {}
}
