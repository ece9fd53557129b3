package io.retroscope.rql.engine;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.rql.cut.CutTime;
import java.util.SortedSet;
import org.jspecify.annotations.Nullable;

/**
 * Follows the runs of cuts at which one question's WHEN holds, and tells its emission of them. Used
 * by one thread.
 */
final class Run {
  private final Emission emission;
  private final long forMicros;
  private boolean holds;
  private boolean qualified;
  private long startHlc;
  private long lastHlc;

  /**
   * Follows runs.
   *
   * @param forMicros how long a run must last to count, 0 for any
   */
  Run(Emission emission, long forMicros) {
    this.emission = emission;
    this.forMicros = forMicros;
  }

  boolean holds() {
    return holds;
  }

  /** Where the present or last run began. */
  long startHlc() {
    return startHlc;
  }

  /** Whether WHEN was asked at this cut and holds: a cut that was skipped says nothing. */
  boolean heldAt(long hlc) {
    return holds && lastHlc == hlc;
  }

  /** Packed stamp at which the present run will have lasted long enough. */
  long deadline() {
    long micros = HlcTimestamp.micros(startHlc);
    return HlcTimestamp.pack(Math.min(HlcTimestamp.MAX_MICROS, micros + forMicros));
  }

  /** Whether the present run is too young to count yet. */
  boolean isYoung() {
    return holds && !qualified;
  }

  boolean wantsRow(boolean atStart) {
    return emission.wantsRow(!holds, atStart);
  }

  boolean wantsEnd() {
    return qualified && emission.wantsEnd();
  }

  /** WHEN holds at a cut. */
  void holdsAt(long hlc, @Nullable CutRow row, SortedSet<String> missing, boolean atStart) {
    lastHlc = hlc;
    if (holds) {
      emission.goOn(row, missing);
      return;
    }
    holds = true;
    qualified = false;
    startHlc = hlc;
    emission.begin(row, atStart);
    if (forMicros == 0) {
      qualified = true;
      emission.qualify();
    }
  }

  /** WHEN does not hold, or no longer holds, at a cut. */
  void endsAt(long hlc, CutTime time, SortedSet<String> missing, @Nullable CutRow row) {
    if (!holds) {
      return;
    }
    holds = false;
    if (qualified) {
      emission.end(hlc, time, missing, row);
    } else {
      emission.discard();
    }
  }

  /** All below the stamp is known: a run that still holds has lasted until there. */
  void reached(long hlc) {
    if (holds && !qualified && hlc >= deadline()) {
      qualified = true;
      emission.qualify();
    }
  }

  void endOfRange(long hlc) {
    if (holds && qualified) {
      emission.endOfRange(hlc);
    }
  }
}
