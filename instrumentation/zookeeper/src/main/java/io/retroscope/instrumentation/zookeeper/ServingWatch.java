// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.zookeeper;

import io.retroscope.clock.PhysicalClock;
import io.retroscope.recorder.Recorder;

/**
 * A watchdog that reports, in the log and in the data, a server that has exchanged messages with
 * the others for some time although the agent has not seen it serve clients. Thread-safe.
 */
final class ServingWatch {
  /*
   * A server whose start of service is missed records no state, and query results would show that
   * nothing happened there.
   */

  /** The time for which messages are exchanged before the server is reported. */
  static final long PATIENCE_MICROS = 10_000_000;

  static final String CAVEAT =
      "exchanges messages with other servers, but the agent has not seen it serve clients: its"
          + " znodes are not traced";

  private static final System.Logger LOGGER = System.getLogger(ServingWatch.class.getName());

  private final Recorder recorder;
  private final PhysicalClock clock;
  private volatile boolean serving;

  /* Guarded by `this`. */
  private boolean hasMessages;
  private long firstMicros;
  private long lastMicros;
  private boolean reported;

  ServingWatch(Recorder recorder, PhysicalClock clock) {
    this.recorder = recorder;
    this.clock = clock;
  }

  synchronized void servingBegins() {
    serving = true;
    hasMessages = false;
    if (reported) {
      reported = false;
      recorder.clearCaveat(CAVEAT);
      LOGGER.log(
          System.Logger.Level.INFO, "{0} serves clients: it is traced from here", recorder.node());
    }
  }

  synchronized void servingEnds() {
    serving = false;
  }

  /** Notes a message to or from another server. */
  void message() {
    if (!serving) {
      messageUnserved();
    }
  }

  private synchronized void messageUnserved() {
    if (serving || reported) {
      return;
    }
    long now = clock.micros();
    if (!hasMessages || now - lastMicros > PATIENCE_MICROS) {
      hasMessages = true;
      firstMicros = now;
    }
    lastMicros = now;
    if (now - firstMicros >= PATIENCE_MICROS) {
      reported = true;
      recorder.caveat(CAVEAT);
      LOGGER.log(
          System.Logger.Level.ERROR,
          "{0} {1}. If it is still taking over the leader''s state, this ends with that; otherwise"
              + " report its version of ZooKeeper",
          recorder.node(),
          CAVEAT);
    }
  }
}
