// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recorder;

import io.retroscope.clock.HlcReading;
import io.retroscope.clock.HybridLogicalClock;
import io.retroscope.clock.PhysicalClock;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.Value;
import io.retroscope.event.ValueType;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/** Stress tests of the step orders on which promises and repairs depend, with the writers' code. */
public final class OrderStress {
  private static final PhysicalClock STOPPED = () -> 1_700_000_000_000_000L;
  private static final VariableHandle VARIABLE = new VariableHandle("setd", "r1");

  private OrderStress() {}

  /** A writer with its ring, clock and repairs. */
  private static final class Node {
    final Counters counters = new Counters();
    final EventRing ring = new EventRing(2, 10_000);
    final HybridLogicalClock clock = new HybridLogicalClock(STOPPED);
    final Repairs repairs = new Repairs(new LongAdder(), 10_000);
    final EventWriter writer =
        new EventWriter(
            ring, clock, repairs, new Admission(100, counters, System::nanoTime), counters);

    /** The stamp of the event in the first slot. */
    long stamp() {
      return ring.slot(0).hlc;
    }
  }

  /** A promise is issued while a writer records. */
  abstract static class Promise {
    final Node node = new Node();
    private long promised;
    private int tail;

    /** Ticks, then reads the word, as the drainer does. */
    final void promise() {
      promised = node.clock.tick();
      tail = EventRing.tail(node.ring.word());
    }

    final int outcome() {
      return tail > 0 ? 1 : node.stamp() > promised ? 2 : 0;
    }
  }

  /** A change. */
  @JCStressTest
  @Outcome(id = "1", expect = Expect.ACCEPTABLE, desc = "the promise waits for the writer")
  @Outcome(id = "2", expect = Expect.ACCEPTABLE, desc = "the event is above the promise")
  @Outcome(expect = Expect.FORBIDDEN, desc = "a promise is broken")
  @State
  public static class ChangeAndPromise extends Promise {
    /** Records. */
    @Actor
    public void write() {
      node.writer.change(VARIABLE, Operation.SET, ValueType.LONG, 7, null);
    }

    /** Promises. */
    @Actor
    public void drain() {
      promise();
    }

    /** Compares. */
    @Arbiter
    public void compare(I_Result result) {
      result.r1 = outcome();
    }
  }

  /** A send. */
  @JCStressTest
  @Outcome(id = "1", expect = Expect.ACCEPTABLE, desc = "the promise waits for the writer")
  @Outcome(id = "2", expect = Expect.ACCEPTABLE, desc = "the event is above the promise")
  @Outcome(expect = Expect.FORBIDDEN, desc = "a promise is broken")
  @State
  public static class SendAndPromise extends Promise {
    /** Records. */
    @Actor
    public void write() {
      node.writer.send("net", "zk2", "m1", MessageSample.ALL);
    }

    /** Promises. */
    @Actor
    public void drain() {
      promise();
    }

    /** Compares. */
    @Arbiter
    public void compare(I_Result result) {
      result.r1 = outcome();
    }
  }

  /** A receive. */
  @JCStressTest
  @Outcome(id = "1", expect = Expect.ACCEPTABLE, desc = "the promise waits for the writer")
  @Outcome(id = "2", expect = Expect.ACCEPTABLE, desc = "the event is above the promise")
  @Outcome(expect = Expect.FORBIDDEN, desc = "a promise is broken")
  @State
  public static class ReceiveAndPromise extends Promise {
    /** Records. */
    @Actor
    public void write() {
      node.writer.receive("net", "zk2", "m1", 0);
    }

    /** Promises. */
    @Actor
    public void drain() {
      promise();
    }

    /** Compares. */
    @Arbiter
    public void compare(I_Result result) {
      result.r1 = outcome();
    }
  }

  /** The drainer repairs a variable that a writer sets. */
  @JCStressTest
  @Outcome(id = "1", expect = Expect.ACCEPTABLE, desc = "not repaired: superseded")
  @Outcome(id = "2", expect = Expect.ACCEPTABLE, desc = "repaired below the newer value")
  @Outcome(expect = Expect.FORBIDDEN, desc = "the repair overwrites the newer value")
  @State
  public static class ChangeAndRepair {
    private final Node node = new Node();
    private final HlcReading repair = new HlcReading();
    private boolean repaired;

    /** A repair is due. */
    public ChangeAndRepair() {
      node.repairs.dropped(VARIABLE, new Change(Operation.SET, "r1", Value.of(1)));
    }

    /** Records. */
    @Actor
    public void write() {
      node.writer.change(VARIABLE, Operation.SET, ValueType.LONG, 7, null);
    }

    /** Ticks, then takes the entry, as the drainer does. */
    @Actor
    public void repair() {
      for (Map.Entry<VariableHandle, Repairs.Pending> entry : node.repairs.entries()) {
        node.clock.tick(repair);
        repaired = node.repairs.take(entry.getKey(), entry.getValue());
      }
    }

    /** Compares. */
    @Arbiter
    public void compare(I_Result result) {
      result.r1 = !repaired ? 1 : node.stamp() > repair.hlc ? 2 : 0;
    }
  }
}
