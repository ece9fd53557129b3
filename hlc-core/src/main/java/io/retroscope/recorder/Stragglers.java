// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recorder;

import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.function.LongSupplier;
import java.util.function.ObjLongConsumer;

/**
 * Slots that were claimed but not published when the drainer reached them, in the order of their
 * positions. Owned by the drainer's thread.
 */
final class Stragglers {
  /** The maximum number of late writers past which draining continues. */
  private static final int MAX_COUNT = 256;

  /**
   * The most time that counts between two polls. The clock may jump, or the whole process may be
   * stopped: then the writers had no chance to publish either.
   */
  private static final long MAX_STEP_NANOS = Drainer.ABANDON_NANOS / 8;

  private static final Diagnostics DIAGNOSTICS = new Diagnostics(Stragglers.class);

  private final EventRing ring;
  private final Counters counters;
  private final LongSupplier nanos;

  /**
   * Never grows, so that nothing can fail between the replacement of a slot and its insertion here.
   */
  private final ArrayDeque<Straggler> late = new ArrayDeque<>(MAX_COUNT + 1);

  /** The reading of the clock at the last poll, while there are any. */
  private long polledNanos;

  /** The time that counted since there were none. */
  private long countedNanos;

  private boolean isLogged;

  private record Straggler(Slot slot, long position, long sinceNanos) {}

  Stragglers(EventRing ring, Counters counters, LongSupplier nanos) {
    this.ring = ring;
    this.counters = counters;
    this.nanos = nanos;
  }

  boolean isEmpty() {
    return late.isEmpty();
  }

  /**
   * Adds a slot that is taken out of the ring, at a position above all earlier ones; false if there
   * are too many.
   */
  boolean take(Slot slot, long position) {
    if (late.size() == MAX_COUNT) {
      return false;
    }
    if (late.isEmpty()) {
      polledNanos = nanos.getAsLong();
    } else {
      count();
    }
    Straggler straggler = new Straggler(slot, position, countedNanos);
    ring.replace(position);
    late.add(straggler);
    return true;
  }

  /**
   * Passes on the slots that have been published by now, and abandons writers that take too long.
   */
  void collect(ObjLongConsumer<Slot> published) {
    if (late.isEmpty()) {
      return;
    }
    count();
    Iterator<Straggler> all = late.iterator();
    while (all.hasNext()) {
      Straggler straggler = all.next();
      Slot slot = straggler.slot;
      if (slot.isPublished()) {
        published.accept(slot, straggler.position);
        ring.unreserve(slot.takeHeldBytes());
        all.remove();
      } else if (countedNanos - straggler.sinceNanos >= Drainer.ABANDON_NANOS && slot.abandon()) {
        counters.abandoned.increment();
        ring.unreserve(slot.takeHeldBytes());
        all.remove();
        log();
      }
    }
  }

  private void count() {
    long now = nanos.getAsLong();
    countedNanos += Math.max(0, Math.min(now - polledNanos, MAX_STEP_NANOS));
    polledNanos = now;
  }

  private void log() {
    if (!isLogged) {
      isLogged = true;
      DIAGNOSTICS.log(
          System.Logger.Level.WARNING,
          "a thread was stopped while it recorded an event, and did not continue in time: the event"
              + " is lost and counted as abandoned; further ones are only counted",
          null,
          null);
    }
  }

  /** Whether a writer below the position is still awaited. */
  boolean hasBelow(long position) {
    return !late.isEmpty() && late.getFirst().position < position;
  }
}
