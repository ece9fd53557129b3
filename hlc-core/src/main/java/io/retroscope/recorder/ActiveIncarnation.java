// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recorder;

import io.retroscope.event.EventBody;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** One incarnation of a node: the ring of its events and the thread that drains it. */
final class ActiveIncarnation {
  final String incarnation;
  final EventRing ring;
  final EventWriter writer;
  final Drainer drainer;
  private final Thread thread;

  /**
   * A run, whose first event is the start.
   *
   * @param before the run whose drainer must have finished before this one's may use the sink
   */
  ActiveIncarnation(
      RecorderPlan plan,
      EventBody.Start start,
      Admission admission,
      Repairs repairs,
      Counters counters,
      @Nullable ActiveIncarnation before) {
    incarnation = start.incarnation();
    ring = new EventRing(plan.ringCapacity(), plan.ringMaxBytes());
    writer = new EventWriter(ring, plan.clock(), repairs, admission, counters);
    drainer =
        new Drainer(
            ring,
            plan.clock(),
            new BlockAssembler(plan.node(), incarnation, plan.sink(), counters),
            repairs,
            counters,
            () -> plan.sink().pace(plan.pace()),
            plan.nanos());
    thread = new Thread(() -> drainAfter(before), "retroscope-recorder-" + plan.node());
    thread.setDaemon(true);
    if (plan.isSilent()) {
      writer.close();
    } else {
      writer.record("", start);
      if (!plan.sample().isAll()) {
        writer.record(Recorder.OWN_LOG, plan.sample().announcement());
      }
      thread.start();
    }
  }

  private void drainAfter(@Nullable ActiveIncarnation before) {
    try {
      if (before != null) {
        before.thread.join();
      }
      drainer.run();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Whether events are still taken out of the ring. */
  boolean isDraining() {
    return thread.isAlive();
  }

  /** Ends the run; true if its stop was passed to the sink within the timeout. */
  boolean stop(Duration timeout) {
    return drainer.stop(timeout.toNanos());
  }
}
