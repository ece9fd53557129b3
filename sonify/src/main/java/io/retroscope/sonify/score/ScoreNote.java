package io.retroscope.sonify.score;

/**
 * One note of a score.
 *
 * @param startMicros from the start of the score
 * @param lengthMicros more than 0
 * @param key MIDI's pitch, 0 to 127; 60 is the middle C
 * @param velocity 1 to 127
 */
public record ScoreNote(
    long startMicros, long lengthMicros, Instrument instrument, int key, int velocity) {
  /** The end of the note. */
  public long endMicros() {
    return startMicros + lengthMicros;
  }

  ScoreNote endingAt(long endMicros) {
    return new ScoreNote(startMicros, endMicros - startMicros, instrument, key, velocity);
  }
}
