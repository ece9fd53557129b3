package io.retroscope.sonify.play;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.rql.answer.Note;
import io.retroscope.sonify.score.Score;
import io.retroscope.sonify.score.ScoreComposer;
import io.retroscope.sonify.score.ScoreOptions;
import java.util.List;

/** Scores to play in tests. */
final class Scores {
  private Scores() {}

  /** One note of 200 ms per second, of each key in turn. */
  static Score oneASecond(String instrument, List<Integer> keys) {
    ScoreComposer composer = new ScoreComposer(ScoreOptions.DEFAULT);
    for (int i = 0; i < keys.size(); i++) {
      composer.add(
          HlcTimestamp.pack(1_795_200_000_000_000L + i * 1_000_000L),
          new Note(instrument, keys.get(i), 96, 200_000));
    }
    return composer.compose();
  }
}
