// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recorder;

import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.ValueType;
import org.jspecify.annotations.Nullable;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.I_Result;
import org.openjdk.jcstress.infra.results.JJ_Result;
import org.openjdk.jcstress.infra.results.JL_Result;

/** Stress tests of writers and the reader of the smallest ring. */
public final class RingStress {
  private static final int CAPACITY = 2;
  private static final int MAX_BYTES = 100;
  private static final VariableHandle VARIABLE = new VariableHandle("setd", "r1");

  private RingStress() {}

  private static void fill(Slot slot, long value, @Nullable String text) {
    slot.hlc = value;
    slot.change(VARIABLE, Operation.SET, ValueType.LONG, value, text);
  }

  /** Two writers claim the last slot. */
  @JCStressTest
  @Outcome(
      id = {"1, 0", "0, 1"},
      expect = Expect.ACCEPTABLE,
      desc = "one got it")
  @Outcome(expect = Expect.FORBIDDEN, desc = "none got it, or both did")
  @State
  public static class LastSlot {
    private final EventRing ring = new EventRing(CAPACITY, MAX_BYTES);

    /** One slot left. */
    public LastSlot() {
      ring.claim();
    }

    /** Claims. */
    @Actor
    public void first(II_Result result) {
      result.r1 = ring.claim() == null ? 0 : 1;
    }

    /** Claims. */
    @Actor
    public void second(II_Result result) {
      result.r2 = ring.claim() == null ? 0 : 1;
    }
  }

  /** Two writers reserve more memory than available. */
  @JCStressTest
  @Outcome(
      id = {"1, 0", "0, 1"},
      expect = Expect.ACCEPTABLE,
      desc = "one got it")
  @Outcome(expect = Expect.FORBIDDEN, desc = "none got it, or both did")
  @State
  public static class LastBytes {
    private final EventRing ring = new EventRing(CAPACITY, MAX_BYTES);

    /** Claims. */
    @Actor
    public void first(II_Result result) {
      result.r1 = ring.claim(60) == null ? 0 : 1;
    }

    /** Claims. */
    @Actor
    public void second(II_Result result) {
      result.r2 = ring.claim(60) == null ? 0 : 1;
    }
  }

  /** The reader sees everything that a writer publishes. */
  @JCStressTest
  @Outcome(id = "0, null", expect = Expect.ACCEPTABLE, desc = "not published yet")
  @Outcome(id = "7, text", expect = Expect.ACCEPTABLE, desc = "published")
  @Outcome(expect = Expect.FORBIDDEN, desc = "published in part")
  @State
  public static class Publication {
    private final EventRing ring = new EventRing(CAPACITY, MAX_BYTES);

    /** Claims, fills and publishes. */
    @Actor
    public void write() {
      Slot slot = ring.claim(1);
      if (slot != null) {
        fill(slot, 7, "text");
        slot.publish();
      }
    }

    /** Reads. */
    @Actor
    public void read(JL_Result result) {
      Slot slot = ring.slot(0);
      if (slot.isPublished()) {
        result.r1 = slot.hlc;
        result.r2 = slot.payload;
      }
    }
  }

  /** A writer claims a slot of the next lap as soon as the reader has released it. */
  @JCStressTest
  @Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "the ring was still full")
  @Outcome(id = "1, 7", expect = Expect.ACCEPTABLE, desc = "claimed and published")
  @Outcome(expect = Expect.FORBIDDEN, desc = "the reader undid what the writer wrote")
  @State
  public static class NextLap {
    private final EventRing ring = new EventRing(CAPACITY, MAX_BYTES);

    /** A full ring, all published. */
    public NextLap() {
      for (int i = 0; i < CAPACITY; i++) {
        Slot slot = ring.claim(1);
        if (slot != null) {
          fill(slot, i, "text");
          slot.publish();
        }
      }
    }

    /** Drains the first slot. */
    @Actor
    public void drain() {
      ring.unreserve(ring.slot(0).recycle());
      ring.release(1);
    }

    /** Claims, fills and publishes. */
    @Actor
    public void write(JJ_Result result) {
      Slot slot = ring.claim(2);
      if (slot != null) {
        fill(slot, 7, "text");
        result.r1 = slot.publish() ? 1 : 2;
      }
    }

    /** Reads the final state. */
    @Arbiter
    public void read(JJ_Result result) {
      Slot slot = ring.slot(2);
      result.r2 = slot.isPublished() && slot.heldBytes == 2 ? slot.bits : 0;
    }
  }

  /** The reader takes the slot of a late writer out of the ring. */
  @JCStressTest
  @Outcome(id = "0", expect = Expect.ACCEPTABLE, desc = "not claimed yet")
  @Outcome(id = "1", expect = Expect.ACCEPTABLE, desc = "in the object that was taken out")
  @Outcome(id = "2", expect = Expect.ACCEPTABLE, desc = "published before")
  @Outcome(expect = Expect.FORBIDDEN, desc = "lost")
  @State
  public static class Straggler {
    private final EventRing ring = new EventRing(CAPACITY, MAX_BYTES);
    private @Nullable Slot takenOut;

    /** Claims, fills and publishes. */
    @Actor
    public void write() {
      Slot slot = ring.claim();
      if (slot != null) {
        fill(slot, 7, null);
        slot.publish();
      }
    }

    /** Takes the slot out if it is claimed and not published. */
    @Actor
    public void takeOut(I_Result result) {
      if (EventRing.tail(ring.word()) == 0) {
        return;
      }
      Slot slot = ring.slot(0);
      if (slot.isPublished()) {
        result.r1 = 2;
      } else {
        ring.replace(0);
        ring.release(1);
        takenOut = slot;
        result.r1 = 3;
      }
    }

    /** Finds the location of the event. */
    @Arbiter
    public void find(I_Result result) {
      if (takenOut != null && takenOut.isPublished() && takenOut.bits == 7) {
        result.r1 = 1;
      }
    }
  }

  /** The reader abandons a writer that publishes concurrently. */
  @JCStressTest
  @Outcome(id = "0, 50", expect = Expect.ACCEPTABLE, desc = "published, and holds its memory")
  @Outcome(id = "1, 0", expect = Expect.ACCEPTABLE, desc = "abandoned, its memory given back once")
  @Outcome(expect = Expect.FORBIDDEN, desc = "memory leaked or given back twice")
  @State
  public static class Abandoned {
    private final EventRing ring = new EventRing(CAPACITY, MAX_BYTES);

    /** Claims, fills and publishes. */
    @Actor
    public void write() {
      Slot slot = ring.claim(50);
      if (slot != null) {
        fill(slot, 7, "text");
        if (!slot.publish()) {
          ring.unreserve(slot.takeHeldBytes());
        }
      }
    }

    /** Abandons a claimed slot. */
    @Actor
    public void abandon(II_Result result) {
      if (EventRing.tail(ring.word()) > 0) {
        Slot slot = ring.slot(0);
        if (slot.abandon()) {
          ring.unreserve(slot.takeHeldBytes());
          result.r1 = 1;
        }
      }
    }

    /** Reads the remaining reservation. */
    @Arbiter
    public void reserved(II_Result result) {
      result.r2 = (int) ring.reservedBytes();
    }
  }
}
