// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.paxos;

/**
 * A zone that was stopped. Immutable.
 *
 * @param beganMicros since 1970, before it was stopped
 * @param continuedMicros when it was continued
 * @param endedMicros when all replicas had executed the same commands again
 */
record Failure(String zone, long beganMicros, long continuedMicros, long endedMicros) {
  boolean contains(long micros) {
    return beganMicros <= micros && micros <= endedMicros;
  }

  /** Whether a command was sent and done while the zone was stopped. */
  boolean contains(ClientNote note) {
    return beganMicros <= note.beganMicros()
        && note.beganMicros() + note.micros() <= continuedMicros;
  }
}
