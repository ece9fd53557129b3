// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recorder;

import io.retroscope.event.EventBody;
import io.retroscope.event.EventBody.Spill;
import io.retroscope.sink.SinkStatistics;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The successive runs of a recorder. Thread-safe. */
final class Lifecycle {
  private final RecorderPlan plan;
  private final Admission admission;
  private final Repairs repairs;
  private final Counters counters;

  /** The current run. */
  volatile ActiveIncarnation run;

  /** Whether events are accepted. */
  volatile boolean recording;

  private boolean closed;

  /** The number of drops before the run was suspended; negative if it is not suspended. */
  private long suspendedAtDrops = -1;

  Lifecycle(RecorderPlan plan, Admission admission, Counters counters) {
    this.plan = plan;
    this.admission = admission;
    this.repairs = new Repairs(counters.unrepaired, plan.ringMaxBytes() / 4);
    this.counters = counters;
    run = new ActiveIncarnation(plan, plan.start(), admission, repairs, counters, null);
    recording = !plan.isSilent();
  }

  /** Whether the recorder never records. */
  boolean isSilent() {
    return plan.isSilent();
  }

  /** Ends the run, so that no copy of the process can add events to it. */
  synchronized void suspend() {
    if (endRun()) {
      plan.sink().flush(plan.closeTimeout());
    }
  }

  /** Ends the run; false if there is none, or its drainer did not finish in time. */
  private boolean endRun() {
    if (recording && suspendedAtDrops < 0) {
      suspendedAtDrops = counters.dropped.sum();
    }
    return recording && run.stop(plan.closeTimeout());
  }

  /**
   * Ends the run and starts another. Events in between find a full ring.
   *
   * @return false if the recorder does not record
   */
  synchronized boolean restart() {
    boolean complete = endRun() && run.drainer.lostCount() == 0;
    if (!recording) {
      return false;
    }
    ActiveIncarnation before = run;
    String incarnation = RecorderBuilder.incarnation(plan.clock().tick());
    begin(incarnation);
    EventBody.Start start =
        new EventBody.Start(
            incarnation,
            plan.clock().floor(),
            before.incarnation,
            complete ? Spill.COMPLETE : Spill.LOST);
    ActiveIncarnation next =
        new ActiveIncarnation(plan, start, admission, repairs, counters, before);
    run = next;
    if (counters.dropped.sum() > suspendedAtDrops) {
      next.ring.skip();
    }
    suspendedAtDrops = -1;
    return true;
  }

  private void begin(String incarnation) {
    NodeState state = plan.state();
    if (state != null) {
      try {
        state.begin(incarnation);
      } catch (IOException e) {
        warn("cannot write the state of node " + plan.node(), e);
      }
    }
  }

  /** Ends the last run and closes the sink and the state; false if they were closed before. */
  synchronized boolean close() {
    if (closed) {
      return false;
    }
    closed = true;
    recording = false;
    run.writer.close();
    boolean drained = plan.isSilent() || run.stop(plan.closeTimeout());
    boolean handed = drained && run.drainer.lostCount() == 0;
    boolean delivered = closeSink();
    closeState(handed && (delivered || keepsUndelivered()));
    if (!plan.isSilent()) {
      ExitReport.write(plan, counters, sinkStatistics(), drained, delivered);
    }
    return true;
  }

  /** Closes the sink, and returns whether everything that it accepted was delivered. */
  private boolean closeSink() {
    try {
      plan.sink().close();
      return plan.sink().flush(Duration.ZERO);
    } catch (RuntimeException e) {
      warn("the sink of node " + plan.node() + " did not close", e);
      return false;
    }
  }

  private boolean keepsUndelivered() {
    try {
      return plan.sink().keepsUndelivered();
    } catch (RuntimeException e) {
      return false;
    }
  }

  private void closeState(boolean complete) {
    NodeState state = plan.state();
    if (state == null) {
      return;
    }
    try {
      if (!plan.clock().settleBound(plan.closeTimeout())) {
        // A hung write may still complete, so another run must not use the directory.
        logger()
            .log(
                Level.WARNING,
                "the state directory of node {0} does not respond; it is locked until the JVM ends",
                plan.node());
        return;
      }
      if (complete && !plan.isSilent()) {
        state.end(run.incarnation);
      }
      state.close();
    } catch (IOException e) {
      warn("cannot write the state of node " + plan.node(), e);
    }
  }

  /** The sink's own statistics; the sink may be third-party code. */
  SinkStatistics sinkStatistics() {
    try {
      return plan.sink().statistics();
    } catch (RuntimeException e) {
      return SinkStatistics.NONE;
    }
  }

  /** The reason why nothing is recorded; null if the recorder records. */
  @Nullable String silence() {
    if (plan.isSilent()) {
      return plan.silence();
    }
    if (!recording) {
      return "the recorder is closed";
    }
    if (run.drainer.isFailing()) {
      return "the recorder cannot process its events; it drops and counts them";
    }
    return run.isDraining() ? null : "the recorder's drainer has ended";
  }

  RecorderHealth health(List<String> caveats) {
    return RecorderHealth.of(silence(), statistics(), plan.problems(), caveats);
  }

  RecorderStatistics statistics() {
    ActiveIncarnation current = run;
    // A ring that is closed appears full, even when it is drained.
    int waiting = recording && current.isDraining() ? current.ring.waiting() : 0;
    return counters.statistics(waiting, sinkStatistics(), plan.clock());
  }

  /** Logs the problems with the settings, and whether the recorder records in spite of them. */
  void reportProblems() {
    for (String problem : plan.problems()) {
      logger().log(Level.ERROR, "node {0}: {1}", plan.node(), problem);
    }
    if (plan.isSilent()) {
      logger().log(Level.ERROR, "node {0} records nothing: {1}", plan.node(), plan.silence());
    }
  }

  private static void warn(String text, Exception cause) {
    logger().log(Level.WARNING, text, cause);
  }

  /**
   * The logger; not a constant, because the initialization of logging may need the recorder, see
   * {@link SharedRecorder}.
   */
  static System.Logger logger() {
    return System.getLogger(Recorder.class.getName());
  }
}
