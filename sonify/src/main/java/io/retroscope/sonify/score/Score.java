package io.retroscope.sonify.score;

import java.util.List;

/**
 * What is to be played, ready to be written or heard. Immutable.
 *
 * @param notes ordered by their start, the first at 0 or empty
 * @param speed how many times faster than the recorded events it runs, outside shortened silences
 * @param shortenedSilenceMicros recorded time taken out of long silences
 * @param mergedCount notes that began with an equal one and sound as one with it
 * @param droppedCount notes left out because too many were to sound at once
 */
public record Score(
    List<ScoreNote> notes,
    double speed,
    long shortenedSilenceMicros,
    long mergedCount,
    long droppedCount) {
  /** Copies the notes. */
  public Score {
    notes = List.copyOf(notes);
  }

  /** From the start to the end of the last note that sounds. */
  public long lengthMicros() {
    return notes.stream().mapToLong(ScoreNote::endMicros).max().orElse(0);
  }
}
