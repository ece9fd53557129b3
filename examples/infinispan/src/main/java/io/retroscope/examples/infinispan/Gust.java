// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.infinispan;

/**
 * A time in which the relay held back all bytes from and to the slow node. Immutable.
 *
 * @param beganMicros the machine's clock after the delay was set, in microseconds since 1970
 * @param endedMicros the clock before it was removed
 * @param delayMicros for how long each byte was held back, at most until the end
 */
record Gust(long beganMicros, long endedMicros, long delayMicros) {
  boolean contains(long micros) {
    return beganMicros <= micros && micros <= endedMicros;
  }

  long durationMicros() {
    return endedMicros - beganMicros;
  }
}
