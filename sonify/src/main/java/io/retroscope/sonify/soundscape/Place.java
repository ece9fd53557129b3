// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sonify.soundscape;

/**
 * The position that distinguishes a node from others: its side, and its register for listeners with
 * one ear or one loudspeaker.
 *
 * @param pan -1 left to 1 right
 * @param semitones added to a rule's keys
 */
public record Place(double pan, int semitones) {
  /** The place of a rule without a node. */
  public static final Place MIDDLE = new Place(0, 0);
}
