// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sonify.soundscape;

/**
 * A note of a soundscape. Immutable.
 *
 * @param hlc stamp of the cut that caused it
 * @param micros when it sounds: microseconds of played time since the soundscape began
 * @param rule name of the rule
 * @param node the node that it belongs to; empty if none
 * @param level the value that it represents: a level, the rows per second of a roll, 0 to 1 of a
 *     background; 0 if none
 * @param patch name of a patch of the bank
 * @param key MIDI key, 0 to 127
 * @param velocity 1 to 127; of {@link NoteKind#FOLLOW}, 0 to 127, where less than 127 is a fade
 * @param lengthMicros more than 0; {@link #UNTIL_THE_END} for a background
 * @param pan -1 left to 1 right
 */
public record NoteEvent(
    long hlc,
    long micros,
    String rule,
    Layer layer,
    NoteKind kind,
    String node,
    double level,
    String patch,
    int key,
    int velocity,
    long lengthMicros,
    double pan) {
  /** Length of a note that sounds until the soundscape ends. */
  public static final long UNTIL_THE_END = Long.MAX_VALUE / 4;

  /** Checks the ranges. */
  public NoteEvent {
    if (key < 0 || key > 127 || velocity < 0 || velocity > 127) {
      throw new IllegalArgumentException("outside MIDI's range: key " + key + ", " + velocity);
    }
    if (lengthMicros <= 0 || !(pan >= -1 && pan <= 1)) {
      throw new IllegalArgumentException("bad length %d or pan %s".formatted(lengthMicros, pan));
    }
  }

  /** Whether the event starts a note, rather than changing one that sounds. */
  public boolean startsNote() {
    return kind != NoteKind.FOLLOW;
  }

  /** The same note, at this time if its own has passed. */
  public NoteEvent notBefore(long earliestMicros) {
    return micros >= earliestMicros ? this : at(earliestMicros);
  }

  /** The same note at another time. */
  public NoteEvent at(long otherMicros) {
    return new NoteEvent(
        hlc, otherMicros, rule, layer, kind, node, level, patch, key, velocity, lengthMicros, pan);
  }

  /** The same note with a force changed by this many decibels. */
  public NoteEvent louder(double db) {
    // Velocity is a square law: 40 dB per decade.
    double changed = velocity * Math.pow(10, db / 40);
    return new NoteEvent(
        hlc,
        micros,
        rule,
        layer,
        kind,
        node,
        level,
        patch,
        key,
        (int) Math.max(1, Math.min(127, Math.round(changed))),
        lengthMicros,
        pan);
  }

  /** The same note as a roll of this many rows per second. */
  NoteEvent asRoll(double rowsPerSecond, int rollVelocity) {
    return new NoteEvent(
        hlc,
        micros,
        rule,
        layer,
        NoteKind.ROLL,
        node,
        rowsPerSecond,
        patch,
        key,
        rollVelocity,
        lengthMicros,
        pan);
  }
}
