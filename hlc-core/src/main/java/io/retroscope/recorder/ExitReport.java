// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recorder;

import io.retroscope.sink.SinkStatistics;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;

/** The report of a closed recorder's losses. */
final class ExitReport {
  private ExitReport() {}

  /**
   * Logs the losses, if there are any. During the JVM's shutdown, logging may have ended already,
   * so the text is also written to standard error.
   *
   * @param drained whether all events were passed to the sink
   * @param delivered whether everything accepted by the sink was delivered
   */
  static void write(
      RecorderPlan plan,
      Counters counters,
      SinkStatistics sink,
      boolean drained,
      boolean delivered) {
    List<String> losses = losses(plan, counters, sink, drained);
    String target = target(sink);
    if (!losses.isEmpty()) {
      log(Level.WARNING, "node " + plan.node() + " ends: " + String.join("; ", losses));
    } else if (!delivered && plan.sink().keepsUndelivered()) {
      log(
          Level.INFO,
          "node %s ends: events that %s has not acknowledged are kept for its next start%s"
              .formatted(plan.node(), target, cause(sink)));
    }
  }

  private static List<String> losses(
      RecorderPlan plan, Counters counters, SinkStatistics sink, boolean drained) {
    List<String> losses = new ArrayList<>();
    long undelivered = counters.lostBySink.sum() + sink.lostEvents();
    long unrecorded = counters.dropped.sum() + counters.abandoned.sum();
    if (undelivered > 0) {
      losses.add(
          "%d events were not delivered to %s and are lost%s"
              .formatted(undelivered, target(sink), cause(sink)));
    }
    if (unrecorded > 0) {
      losses.add(
          unrecorded + " events were dropped because the ring was full or a writer too slow");
    }
    if (!drained) {
      losses.add(
          "the last events were not passed to %s within the close timeout of %d ms"
              .formatted(target(sink), plan.closeTimeout().toMillis()));
    }
    return losses;
  }

  private static String target(SinkStatistics sink) {
    return sink.target().isEmpty() ? "the sink" : sink.target();
  }

  private static String cause(SinkStatistics sink) {
    return sink.lastFailure().isEmpty() ? "" : " (" + sink.lastFailure() + ")";
  }

  private static void log(Level level, String text) {
    Lifecycle.logger().log(level, text);
    if (ShutdownHook.isJvmEnding()) {
      System.err.println("retroscope: " + text);
    }
  }
}
