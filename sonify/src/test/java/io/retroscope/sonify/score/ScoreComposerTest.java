package io.retroscope.sonify.score;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.rql.answer.Note;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ScoreComposerTest {
  private static final long BASE_MICROS = 1_795_200_000_000_000L;
  private static final long LENGTH_MICROS = 200_000;

  private final ScoreComposer composer = new ScoreComposer(ScoreOptions.DEFAULT);

  @Test
  void compose_nothing_isEmpty() {
    assertThat(composer.compose().notes()).isEmpty();
    assertThat(composer.compose().lengthMicros()).isZero();
  }

  @Test
  void compose_notesInAnyOrder_startWithTheFirst() {
    add(composer, 700_000, 64);
    add(composer, 0, 60);
    assertThat(composer.compose().notes())
        .extracting(ScoreNote::startMicros, ScoreNote::key)
        .containsExactly(tuple(0L, 60), tuple(700_000L, 64));
    assertThat(composer.compose().lengthMicros()).isEqualTo(900_000);
  }

  @Test
  void compose_longSilence_isCutToTheLongestOne() {
    add(composer, 0, 60);
    add(composer, 3_600_000_000L, 62);
    Score score = composer.compose();
    assertThat(starts(score)).containsExactly(0L, LENGTH_MICROS + 2_000_000);
    assertThat(score.shortenedSilenceMicros()).isEqualTo(3_600_000_000L - 2_200_000);
    assertThat(score.speed()).isEqualTo(1.0);
  }

  @Test
  void compose_silenceWithinTheLongestOne_staysAsItIs() {
    add(composer, 0, 60);
    add(composer, 2_100_000, 62);
    assertThat(starts(composer.compose())).containsExactly(0L, 2_100_000L);
  }

  @Test
  void compose_speed_dividesTimesAndKeepsLengths() {
    ScoreComposer fast = new ScoreComposer(ScoreOptions.DEFAULT.withSpeed(10));
    add(fast, 0, 60);
    add(fast, 10_000_000, 62);
    assertThat(fast.compose().notes())
        .extracting(ScoreNote::startMicros, ScoreNote::lengthMicros)
        .containsExactly(tuple(0L, LENGTH_MICROS), tuple(1_000_000L, LENGTH_MICROS));
  }

  @Test
  void compose_eightHoursWithoutSilence_fitsTheLongestLength() {
    for (int second = 0; second < 8 * 3600; second++) {
      add(composer, second * 1_000_000L, 40 + second % 48);
    }
    Score score = composer.compose();
    assertThat(score.lengthMicros())
        .isLessThanOrEqualTo(ScoreOptions.DEFAULT.maxLengthMicros() + LENGTH_MICROS);
    assertThat(score.speed()).isCloseTo(96, within(0.1));
    assertThat(score.notes().size() + score.droppedCount() + score.mergedCount())
        .isEqualTo(8 * 3600);
  }

  @Test
  void compose_compressedScore_roundsEachStartOnce() {
    ScoreOptions options =
        ScoreOptions.DEFAULT.withSpeed(0.4).withMaxLength(Duration.ofNanos(1_249_991_000));
    ScoreComposer slow = new ScoreComposer(options);
    add(slow, 0, 60);
    add(slow, 400_001, 62);
    add(slow, 999_999, 64);
    // At 1,000,002.5 of 2,499,997.5 microseconds; of 1,249,991 that is 499,998.1.
    assertThat(starts(slow.compose())).startsWith(0L, 499_998L);
  }

  @Test
  void compose_equalNotesTogether_areOneAndTheLouder() {
    composer.add(at(0), new Note("flute", 60, 50, 100_000));
    composer.add(at(19_999), new Note("flute", 60, 90, 100_000));
    composer.add(at(19_999), new Note("oboe", 60, 70, 100_000));
    Score score = composer.compose();
    assertThat(score.notes())
        .extracting(ScoreNote::velocity, ScoreNote::lengthMicros)
        .containsExactly(tuple(90, 119_999L), tuple(70, 100_000L));
    assertThat(score.mergedCount()).isEqualTo(1);
  }

  @Test
  void compose_keyStruckAgain_endsTheFirstStroke() {
    add(composer, 0, 60);
    add(composer, 50_000, 60);
    assertThat(composer.compose().notes())
        .extracting(ScoreNote::startMicros, ScoreNote::lengthMicros)
        .containsExactly(tuple(0L, 50_000L), tuple(50_000L, LENGTH_MICROS));
  }

  @Test
  void compose_tooMuchToHear_keepsTheBoundsAndCounts() {
    long seed = Long.getLong("seed", 20261121);
    Random random = new Random(seed);
    for (int i = 0; i < 20_000; i++) {
      composer.add(
          at(random.nextInt(10_000_000)),
          new Note("piano", random.nextInt(128), 96, 1 + random.nextInt(3_000_000)));
    }
    List<ScoreNote> notes = composer.compose().notes();
    for (ScoreNote note : notes) {
      long now = note.startMicros();
      assertThat(notes.stream().filter(n -> n.startMicros() <= now && now < n.endMicros()).count())
          .as("voices at %d, seed %d", now, seed)
          .isLessThanOrEqualTo(ScoreComposer.MAX_POLYPHONY);
      assertThat(
              notes.stream()
                  .filter(n -> n.startMicros() > now - 1_000_000 && n.startMicros() <= now)
                  .count())
          .as("notes in the second before %d, seed %d", now, seed)
          .isLessThanOrEqualTo(ScoreComposer.MAX_NOTES_PER_SECOND);
    }
    assertThat(notes.size() + composer.compose().droppedCount() + composer.compose().mergedCount())
        .isEqualTo(20_000);
  }

  @Test
  void compose_veryLongNote_isBounded() {
    composer.add(at(0), new Note("flute", 60, 96, Duration.ofHours(3).toMillis() * 1000));
    assertThat(composer.compose().lengthMicros()).isEqualTo(ScoreComposer.MAX_NOTE_MICROS);
  }

  @Test
  void add_moreThanTheBound_dropsAndCounts() {
    Note note = new Note("flute", 60, 96, 1);
    for (int i = 0; i < ScoreComposer.MAX_GATHERED_NOTES + 7; i++) {
      composer.add(at(0), note);
    }
    assertThat(composer.compose().droppedCount()).isEqualTo(7);
  }

  @Test
  void add_unknownInstrument_isRefusedAtOnce() {
    assertThatThrownBy(() -> composer.add(at(0), new Note("theremin", 60, 96, 1)))
        .isInstanceOf(UnknownInstrumentException.class);
  }

  @Test
  void options_outOfRange_areRefused() {
    assertThatThrownBy(() -> ScoreOptions.DEFAULT.withSpeed(0))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> ScoreOptions.DEFAULT.withMaxSilence(Duration.ofSeconds(-1)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> ScoreOptions.DEFAULT.withMaxLength(Duration.ofHours(8)))
        .hasMessage("a score may be at most 60 minutes long");
  }

  private static void add(ScoreComposer composer, long offsetMicros, int key) {
    composer.add(at(offsetMicros), new Note("woodblock", key, 96, LENGTH_MICROS));
  }

  private static long at(long offsetMicros) {
    return HlcTimestamp.pack(BASE_MICROS + offsetMicros);
  }

  private static List<Long> starts(Score score) {
    return score.notes().stream().map(ScoreNote::startMicros).toList();
  }

  private static org.assertj.core.groups.Tuple tuple(Object... values) {
    return org.assertj.core.groups.Tuple.tuple(values);
  }
}
