// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sink;

import java.time.Duration;

/**
 * How long a sender waits for the answer to a batch: twice as long after each one that was late,
 * until one is in time. Used by one thread.
 *
 * <p>A batch that is sent again waits in the server for the next sync of its disk. If every sync
 * took longer than the wait, no batch would ever be acknowledged.
 */
final class AnswerPatience {
  /** The longest wait, as a multiple of the shortest. */
  static final int MAX_FACTOR = 16;

  private final Duration shortest;
  private int factor = 1;

  AnswerPatience(Duration shortest) {
    this.shortest = shortest;
  }

  /** The time for the next answer, in milliseconds. */
  long millis() {
    return factor * shortest.toMillis();
  }

  /** The reason why a batch is sent again whose answer did not come in time. */
  String late() {
    String reason = "no answer within " + millis() + " ms";
    factor = Math.min(MAX_FACTOR, 2 * factor);
    return reason;
  }

  /** An answer was in time. */
  void answered() {
    factor = 1;
  }
}
