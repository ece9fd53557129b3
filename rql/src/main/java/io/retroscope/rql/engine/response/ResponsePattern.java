// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine.response;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.rql.cut.state.CutTime;
import io.retroscope.rql.cut.state.CutTimers;
import io.retroscope.rql.engine.run.CutRow;
import io.retroscope.rql.engine.run.Emission;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.OptionalLong;
import java.util.SortedSet;
import org.jspecify.annotations.Nullable;

/**
 * What a question makes of its triggers with THEN or AFTER. A trigger is the start of a run of WHEN
 * or, with FOR, the instant at which the run has lasted long enough. The expected and the excusing
 * predicate are states: they count where they hold, not where they become TRUE. Used by one thread.
 *
 * <p>The patterns are the response and the precedence of Dwyer, Avrunin and Corbett, Patterns in
 * Property Specifications for Finite-State Verification (1999), with bounds of time.
 */
public abstract class ResponsePattern implements Emission {
  private final ResponseRows rows;
  private final long forMicros;
  private final long withinMicros;
  private final Deque<Trigger> coming = new ArrayDeque<>();
  private long runStart;
  private boolean runStartsRange;
  private boolean heldBefore;
  private @Nullable CutRow runRow;
  private CutTime runTime = ResponseRows.noTime(HlcTimestamp.MIN_PACKED);
  private boolean expected;
  private boolean excused;
  private boolean isObserved;
  private long observedHlc;

  /**
   * A trigger.
   *
   * @param hlc packed
   * @param row the row of the cut that began the run; null if none was wanted
   * @param begunHlc the stamp of that cut, packed
   * @param begun the time of that cut
   */
  record Trigger(long hlc, boolean atStart, @Nullable CutRow row, long begunHlc, CutTime begun) {
    /** The uncertainty of the time between the cut that began the run and another cut. */
    OptionalLong uncertainty(long otherHlc, CutTime other) {
      return begunHlc <= otherHlc
          ? CutTime.durationUncertainty(begunHlc, begun, otherHlc, other)
          : CutTime.durationUncertainty(otherHlc, other, begunHlc, begun);
    }
  }

  /**
   * Creates a pattern without triggers.
   *
   * @param withinMicros {@link Long#MAX_VALUE} without WITHIN
   */
  ResponsePattern(ResponseRows rows, long forMicros, long withinMicros) {
    this.rows = rows;
    this.forMicros = forMicros;
    this.withinMicros = withinMicros;
  }

  /** Receives a trigger, with the state of its stamp. */
  abstract void trigger(Trigger trigger);

  /** Receives a stamp at which the expected or the excusing predicate holds. */
  abstract void resolved(long hlc, boolean byExpected);

  /** The packed stamp of the next deadline, {@link CutTimers#NEVER} if there is none. */
  abstract long nextDeadline();

  /** Receives a deadline: everything up to and including its stamp is known. */
  abstract void expire(long hlc);

  /** Whether no trigger is open after a stamp, and what came before does not matter later. */
  abstract boolean isIdle(long hlc);

  /**
   * Forgets the triggers that are over at the stamp of a cut at which the element of FOR EACH was
   * absent.
   */
  public abstract void forgetOver(long hlc);

  /** Receives the end of the range, up to which all is decided that can be. */
  abstract void close(long hlc);

  /** Whether nothing is open after a stamp. */
  public boolean isOver(long hlc) {
    return coming.isEmpty() && isIdle(hlc);
  }

  /** Whether the expected or the excusing predicate holds after the last cut. */
  public boolean isResolving() {
    return expected || excused;
  }

  ResponseRows rows() {
    return rows;
  }

  /** The longest time between a trigger and the expected; {@link Long#MAX_VALUE} for any. */
  long withinMicros() {
    return withinMicros;
  }

  /** Whether the expected predicate holds after the last cut. */
  public boolean isExpectedNow() {
    return expected;
  }

  /** Whether the excusing predicate holds after the last cut. */
  public boolean isExcusedNow() {
    return excused;
  }

  /** Whether a cut has been evaluated, and no trigger is yet to come. */
  public boolean isSettled() {
    return isObserved && coming.isEmpty();
  }

  /**
   * Receives the last of some cuts that changed no predicate.
   *
   * @param time of that cut; null unless it {@link #needsTime}
   */
  public void observeSame(long hlc, @Nullable CutTime time) {
    observedHlc = hlc;
  }

  /** Whether {@link #observeSame} needs the time of the cut. */
  public boolean needsTime() {
    return false;
  }

  /** The last stamp of the last microsecond in which the expected is in time. */
  long deadline(Trigger trigger) {
    long micros = HlcTimestamp.micros(trigger.hlc());
    return micros > HlcTimestamp.MAX_MICROS - withinMicros
        ? CutTimers.NEVER
        : HlcTimestamp.pack(micros + withinMicros, HlcTimestamp.MAX_LOGICAL);
  }

  /** Receives the state of a cut before the run of WHEN does. */
  public void observe(long hlc, boolean isExpected, boolean isExcused) {
    isObserved = true;
    observedHlc = hlc;
    expected = isExpected;
    excused = isExcused;
  }

  /** Sets whether WHEN held just before the range, of which the present cut is the first. */
  public void setHeldBefore(boolean held) {
    heldBefore = held;
  }

  /** Receives the state of a cut before the range, which is no cut of the answer. */
  public void observeEarlier(long hlc, boolean isExpected) {
    observe(hlc, isExpected, false);
  }

  /** Whether the last cut that was evaluated is that of a stamp. */
  public boolean observedAt(long hlc) {
    return isObserved && observedHlc == hlc;
  }

  /**
   * Receives the same cut again, without the values that hold at its stamp only. Their end makes no
   * cut, so it can end a state but not begin one.
   */
  public void observeAfter(boolean isExpected, boolean isExcused) {
    expected &= isExpected;
    excused &= isExcused;
  }

  /** Decides what the cut that was observed decides, after the run of WHEN has received it. */
  public void settle(long hlc) {
    while (!coming.isEmpty() && coming.element().hlc() <= hlc) {
      trigger(coming.remove());
    }
    if (expected || excused) {
      resolved(hlc, expected);
    }
  }

  /** The packed stamp from which on {@link #reached} must be called. */
  public long next() {
    long instant = coming.isEmpty() ? CutTimers.NEVER : coming.element().hlc();
    long first = Math.min(instant, nextDeadline());
    return first == CutTimers.NEVER ? first : first + 1;
  }

  /** Receives a stamp below which no further cut comes. */
  public void reached(long hlc) {
    for (long next = next(); next <= hlc && next != CutTimers.NEVER; next = next()) {
      if (!coming.isEmpty() && coming.element().hlc() + 1 == next) {
        Trigger trigger = coming.remove();
        trigger(trigger);
        if (expected || excused) {
          resolved(trigger.hlc(), expected);
        }
      } else {
        expire(next - 1);
      }
    }
  }

  /** Receives the end of the range, whose last stamp is known. */
  public void finish(long hlc) {
    reached(Math.min(hlc, CutTimers.NEVER - 1) + 1);
    close(hlc);
  }

  @Override
  public boolean wantsRow(boolean first, boolean atStart) {
    return false;
  }

  @Override
  public void begin(long hlc, @Nullable CutRow cut, boolean atStart) {
    runStart = hlc;
    runStartsRange = atStart || heldBefore;
    runRow = cut;
    runTime = rows.time(hlc);
  }

  @Override
  public void proceed(@Nullable CutRow cut, SortedSet<String> missing) {}

  @Override
  public void proceed(long more, SortedSet<String> missing) {}

  @Override
  public void qualify() {
    long micros = HlcTimestamp.micros(runStart);
    if (micros <= HlcTimestamp.MAX_MICROS - forMicros) {
      long instant = HlcTimestamp.pack(micros + forMicros, HlcTimestamp.logical(runStart));
      rows.triggered();
      coming.add(new Trigger(instant, runStartsRange, runRow, runStart, runTime));
    }
  }

  @Override
  public void discard() {}

  @Override
  public boolean wantsEnd() {
    return false;
  }

  @Override
  public void end(long hlc, CutTime time, SortedSet<String> missing, @Nullable CutRow cut) {}

  @Override
  public void endOfRange(long hlc) {}
}
