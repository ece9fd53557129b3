package io.retroscope.instrumentation.zookeeper;

import io.retroscope.recorder.Recorder;

/**
 * Reports of what is not traced: each is an error in the log, and a caveat in the data, so that
 * answers over the node carry a warning. Thread-safe.
 */
final class Untraced {
  private static final System.Logger LOGGER = System.getLogger(Untraced.class.getName());

  private final Recorder recorder;

  Untraced(Recorder recorder) {
    this.recorder = recorder;
  }

  /**
   * Reports one thing.
   *
   * @param what is not traced
   * @param why for the log
   */
  void add(String what, String why) {
    LOGGER.log(System.Logger.Level.ERROR, what + " is not traced: " + why);
    recorder.caveat(what + " is not traced");
  }

  /** Reports one thing that an error keeps from being traced. */
  void add(String what, Throwable why) {
    LOGGER.log(System.Logger.Level.ERROR, what + " is not traced", why);
    recorder.caveat(what + " is not traced");
  }
}
