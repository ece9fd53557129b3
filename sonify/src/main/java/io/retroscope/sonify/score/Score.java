package io.retroscope.sonify.score;

import java.util.List;

/**
 * A sequence of notes, ready to be written or played. Immutable.
 *
 * @param notes ordered by their start, the first at 0 or empty
 * @param speed the factor by which it is faster than the recorded events, outside shortened
 *     silences
 * @param shortenedSilenceMicros the recorded time removed from long silences
 * @param mergedCount notes that started with an equal one and were merged with it
 * @param droppedCount notes omitted because too many would have sounded at the same time
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

  /** The length from the start to the end of the last note. */
  public long lengthMicros() {
    return notes.stream().mapToLong(ScoreNote::endMicros).max().orElse(0);
  }
}
