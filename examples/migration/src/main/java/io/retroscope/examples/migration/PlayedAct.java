// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.migration;

import io.retroscope.examples.migration.Act.Script;

/**
 * An act that is over. Immutable.
 *
 * @param beganMicros since 1970
 * @param moves the objects that were handed over
 * @param counted by how much the values of all objects have risen
 */
record PlayedAct(
    int number, Script script, long beganMicros, long endedMicros, int moves, long counted) {
  boolean contains(long micros) {
    return beganMicros <= micros && micros <= endedMicros;
  }
}
