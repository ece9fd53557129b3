// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.answer;

/**
 * The note that PLAY adds to a row. All values are within MIDI's range.
 *
 * @param instrument as written in the query
 * @param note 0 to 127
 * @param velocity 1 to 127
 * @param lengthMicros more than 0
 * @param pan -1, left, to 1, right
 */
public record Note(String instrument, int note, int velocity, long lengthMicros, double pan) {}
