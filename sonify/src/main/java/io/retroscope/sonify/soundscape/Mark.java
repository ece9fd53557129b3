// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sonify.soundscape;

/**
 * A row to be sounded as one note: a rule without LEVEL. Immutable.
 *
 * @param hlc stamp of the row
 * @param micros played time, in microseconds since the soundscape began
 * @param rule name of the rule
 * @param node the node the row is about; empty if none
 * @param patch name of a patch of the bank
 * @param key MIDI key, 0 to 127
 * @param velocity 1 to 127
 * @param lengthMicros more than 0
 * @param pan -1 left to 1 right
 * @param origin how the row came; it sounds only if {@link Origin#LIVE}
 */
public record Mark(
    long hlc,
    long micros,
    String rule,
    String node,
    String patch,
    int key,
    int velocity,
    long lengthMicros,
    double pan,
    Origin origin) {
  /** The same row at another played time and of another origin. */
  public Mark with(long otherMicros, Origin otherOrigin) {
    return new Mark(
        hlc, otherMicros, rule, node, patch, key, velocity, lengthMicros, pan, otherOrigin);
  }
}
