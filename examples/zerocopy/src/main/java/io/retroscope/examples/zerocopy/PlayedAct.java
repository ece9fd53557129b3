// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.zerocopy;

/**
 * An act that is over: all nodes have the same bytes again. Immutable.
 *
 * @param beganMicros since 1970
 */
record PlayedAct(Act act, long beganMicros, long endedMicros) {
  boolean contains(long micros) {
    return beganMicros <= micros && micros <= endedMicros;
  }
}
