// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.cut.state;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Value;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The events of one node that determine its state at a later stamp, collected while a search goes
 * back in time. Used by one thread.
 */
final class NodePast {
  private final Map<FollowedVariable, Trail> trails = new HashMap<>();
  private final Set<Long> kept = new HashSet<>();

  private @Nullable String incarnation;
  private long lifeFrom = HlcTimestamp.MAX_PACKED;
  private long unsetFrom = HlcTimestamp.MIN_PACKED;
  private boolean stopped;
  private boolean lifeSettled;

  /** A variable that a walk follows, and whether a state change that writes it was found. */
  static final class FollowedVariable {
    private boolean written;

    boolean isWritten() {
      return written;
    }
  }

  /** The writes of one variable. */
  private static final class Trail {
    /**
     * The stamp at which an event needs the previous value of the variable: only older writes
     * settle it.
     */
    private long neededAt = HlcTimestamp.MAX_PACKED;

    /** The value at the end, while the time since when it has held is still unknown. */
    private @Nullable Value lasting;

    private boolean settled;
    private long from;
  }

  boolean isLifeSettled() {
    return lifeSettled;
  }

  /** Notes a start that is older than all starts and stops that were noted before. */
  void noteStart(long hlc, String started) {
    if (lifeSettled) {
      return;
    }
    if (incarnation != null && !incarnation.equals(started)) {
      unsetFrom = lifeFrom;
      lifeSettled = true;
    } else {
      // Only the previous start shows whether this one was a restart.
      incarnation = started;
      lifeFrom = hlc;
      lifeSettled = stopped;
    }
  }

  /** Notes a stop that is older than all starts and stops that were noted before. */
  void noteStop(long hlc) {
    if (!stopped && !lifeSettled) {
      stopped = true;
      unsetFrom = hlc;
    }
  }

  /** Notes that there are no older starts and stops. */
  void endLife() {
    if (!lifeSettled && incarnation != null) {
      unsetFrom = lifeFrom;
    } else if (!lifeSettled) {
      lifeFrom = unsetFrom;
    }
    lifeSettled = true;
  }

  /** A packed stamp below which nothing is kept, once the search has ended. */
  long keptFrom() {
    boolean hasLives = incarnation != null || stopped;
    long from = hasLives ? lifeFrom : HlcTimestamp.MAX_PACKED;
    for (long hlc : kept) {
      from = Math.min(from, hlc);
    }
    for (Trail trail : trails.values()) {
      from = Math.min(from, trail.settled ? trail.from : unsetFrom);
    }
    return from;
  }

  /** Whether starts and stops at the stamp matter. */
  boolean isLifeKept(long hlc) {
    return hlc >= lifeFrom;
  }

  /** Whether a value written at the stamp may still be present later. */
  boolean outlives(long hlc) {
    return hlc >= unsetFrom;
  }

  /** Keeps a state change, if it is the first one found that writes the variable. */
  void noteWritten(FollowedVariable variable, long hlc) {
    if (!variable.written) {
      variable.written = true;
      kept.add(hlc);
    }
  }

  /** Whether a state change is kept whatever happened to the values. */
  boolean isKept(long hlc) {
    return kept.contains(hlc);
  }

  /** Whether older writes of the variable still matter. */
  boolean isOpen(FollowedVariable variable) {
    Trail trail = trails.get(variable);
    return trail == null || !trail.settled;
  }

  /** Whether a write of the variable at the stamp matters. */
  boolean isWriteKept(FollowedVariable variable, long hlc) {
    Trail trail = trails.get(variable);
    return hlc >= (trail != null && trail.settled ? trail.from : unsetFrom);
  }

  /**
   * Notes that the variable's value just before the stamp matters.
   *
   * @return whether that was unknown before
   */
  boolean open(FollowedVariable variable, long hlc) {
    Trail trail = trail(variable);
    boolean wasSettled = trail.settled;
    trail.settled = false;
    trail.lasting = null;
    trail.neededAt = hlc;
    return wasSettled;
  }

  /**
   * Notes that the variable receives a value, or with null loses it, whatever its previous value.
   *
   * @param usesAge whether the time since when it has held that value matters
   */
  void settle(FollowedVariable variable, @Nullable Value value, long hlc, boolean usesAge) {
    Trail trail = trail(variable);
    if (trail.settled || hlc >= trail.neededAt) {
      return;
    }
    Value lasting = trail.lasting;
    if (usesAge && value != null && (lasting == null || value.compareTo(lasting) == 0)) {
      trail.lasting = value;
    } else {
      trail.settled = true;
      trail.from = hlc;
    }
  }

  private Trail trail(FollowedVariable variable) {
    return trails.computeIfAbsent(variable, v -> new Trail());
  }
}
