package io.retroscope.recorder;

import java.lang.System.Logger.Level;
import org.jspecify.annotations.Nullable;

/** The process's one recorder, for all that do not hand theirs around. */
final class SharedRecorder {
  /*
   * Making a recorder must not log, nor load a class that gets a logger for the first time: where the platform's logging
   * is a framework with an appender of ours, that begins with the framework's start, whose appender calls get() on this
   * very thread, and there would be two. So logging is made to start before the decision, and used after it.
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
          "the shared recorder of node {0} was closed; another begins, from the environment, as"
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
              "node {0} was shared before node {1} and is still open: whoever has taken it keeps"
                  + " it, with a clock of its own. Call share() before anything calls shared().",
              before.node(),
              recorder.node());
    }
  }

  /** Lets go of a closed recorder, unless the JVM ends: then no other may begin. */
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
