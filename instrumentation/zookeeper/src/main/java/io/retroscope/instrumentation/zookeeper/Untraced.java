// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.zookeeper;

import io.retroscope.recorder.Recorder;

/**
 * Reports of gaps in the tracing: each is an error in the log, and a caveat in the data, so that
 * query results about the node carry a warning. Thread-safe.
 */
final class Untraced {
  private static final System.Logger LOGGER = System.getLogger(Untraced.class.getName());

  private final Recorder recorder;

  Untraced(Recorder recorder) {
    this.recorder = recorder;
  }

  /**
   * Reports a gap.
   *
   * @param what the part that is not traced
   * @param why the reason, for the log
   */
  void add(String what, String why) {
    LOGGER.log(System.Logger.Level.ERROR, what + " is not traced: " + why);
    recorder.caveat(what + " is not traced");
  }

  /** Reports a gap that is caused by an error. */
  void add(String what, Throwable why) {
    LOGGER.log(System.Logger.Level.ERROR, what + " is not traced", why);
    recorder.caveat(what + " is not traced");
  }
}
