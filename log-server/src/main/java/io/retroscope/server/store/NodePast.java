package io.retroscope.server.store;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Value;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * From where on the events of one node matter to its state at a later stamp, as it is found out
 * going back in time. Used by one thread.
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
    /** Where an event needs to know what the variable was: only what is older settles it. */
    private long neededAt = HlcTimestamp.MAX_PACKED;

    /** What it holds at the end, where it is still to be found how long it has been that. */
    private @Nullable Value lasting;

    private boolean settled;
    private long from;
  }

  boolean isLifeSettled() {
    return lifeSettled;
  }

  /** A start that is older than all that was noted of the node's life. */
  void noteStart(long hlc, String started) {
    if (lifeSettled) {
      return;
    }
    if (incarnation != null && !incarnation.equals(started)) {
      unsetFrom = lifeFrom;
      lifeSettled = true;
    } else {
      // Whether this one was a restart, the start before it tells.
      incarnation = started;
      lifeFrom = hlc;
      lifeSettled = stopped;
    }
  }

  /** A stop that is older than all that was noted of the node's life. */
  void noteStop(long hlc) {
    if (!stopped && !lifeSettled) {
      stopped = true;
      unsetFrom = hlc;
    }
  }

  /** There are no older starts and stops. */
  void endLife() {
    if (!lifeSettled && incarnation != null) {
      unsetFrom = lifeFrom;
    } else if (!lifeSettled) {
      lifeFrom = unsetFrom;
    }
    lifeSettled = true;
  }

  /** Whether starts and stops at the stamp matter. */
  boolean isLifeKept(long hlc) {
    return hlc >= lifeFrom;
  }

  /** Whether what the node wrote at the stamp may still be there later. */
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

  /** Whether a state change is kept whatever became of the values. */
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
   * What the variable was just before the stamp matters.
   *
   * @return whether that is news
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
   * The variable gets a value, or with null loses it, whatever it was before.
   *
   * @param asksAge whether it matters how long it has had that value
   */
  void settle(FollowedVariable variable, @Nullable Value value, long hlc, boolean asksAge) {
    Trail trail = trail(variable);
    if (trail.settled || hlc >= trail.neededAt) {
      return;
    }
    Value lasting = trail.lasting;
    if (asksAge && value != null && (lasting == null || value.compareTo(lasting) == 0)) {
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
