// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.chord;

/**
 * A join or a leave that is over. Immutable.
 *
 * @param beganMicros since 1970, before the node was started or left
 * @param endedMicros when the ring was whole again, by the nodes' own answers
 */
record Change(String node, boolean joins, long beganMicros, long endedMicros) {
  boolean contains(long micros) {
    return beganMicros <= micros && micros <= endedMicros;
  }
}
