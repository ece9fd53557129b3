// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recorder;

import java.lang.System.Logger.Level;
import org.jspecify.annotations.Nullable;

/** The process's shared recorder, for code that does not pass its own recorder around. */
final class SharedRecorder {
  /*
   * Creating a recorder must neither log nor load a class that obtains a logger for the first time.
   * If the platform's logging is a framework with a Retroscope appender, that would initialize the
   * framework, whose appender calls get() on the same thread, and two recorders would be created.
   * Logging is therefore initialized before the decision, and used after it.
   */
  private static final Object LOCK = new Object();
  private static volatile @Nullable Recorder current;

  /** The node of the shared recorder that was closed last; empty before. */
  private static String endedNode = "";

  private SharedRecorder() {}

  static Recorder get() {
    Recorder known = current;
    if (known != null) {
      return known;
    }
    System.Logger logger = Lifecycle.logger();
    Recorder made;
    String before;
    synchronized (LOCK) {
      known = current;
      if (known != null) {
        return known;
      }
      made = Recorder.builder().closeAtShutdown(true).start();
      current = made;
      before = endedNode;
    }
    made.reportProblems();
    if (!before.isEmpty()) {
      logger.log(
          Level.WARNING,
          "the shared recorder of node {0} was closed; another is created from the environment, as"
              + " node {1}",
          before,
          made.node());
    }
    return made;
  }

  static void set(Recorder recorder) {
    Recorder before;
    synchronized (LOCK) {
      before = current;
      current = recorder;
    }
    if (before != null && before != recorder) {
      Lifecycle.logger()
          .log(
              Level.WARNING,
              "node {0} was shared before node {1} and is still open: earlier callers keep"
                  + " it, with its own clock. Call share() before anything calls shared().",
              before.node(),
              recorder.node());
    }
  }

  /**
   * Drops the reference to a closed recorder, except during the JVM's shutdown, when no other may
   * start.
   */
  static void forget(Recorder closed) {
    if (ShutdownHook.isJvmEnding()) {
      return;
    }
    synchronized (LOCK) {
      if (current == closed) {
        current = null;
        endedNode = closed.node();
      }
    }
  }
}
