// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sonify.play;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.sonify.audio.StereoPeak;
import io.retroscope.sonify.soundscape.AlarmRule;
import io.retroscope.sonify.soundscape.AlarmRule.Priority;
import io.retroscope.sonify.soundscape.BackgroundRule;
import io.retroscope.sonify.soundscape.Mark;
import io.retroscope.sonify.soundscape.NoteEvent;
import io.retroscope.sonify.soundscape.NoteKind;
import io.retroscope.sonify.soundscape.NoteLimiter;
import io.retroscope.sonify.soundscape.Origin;
import io.retroscope.sonify.soundscape.RuleReading;
import io.retroscope.sonify.soundscape.SoundRules;
import io.retroscope.sonify.soundscape.Soundscape;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Ten thousand rows a second in each of eight rules, at full velocity, with an alarm. */
class StormSoundTest {
  private static final int RULES = 8;
  private static final long ROW_EVERY_MICROS = 100;
  private static final long LENGTH_MICROS = 8_000_000;
  private static final List<String> PATCHES =
      List.of("wood", "glass", "pluck", "skin", "horn", "reed", "flute", "click");

  private final List<NoteEvent> notes = new ArrayList<>();
  private final NoteLimiter limiter = new NoteLimiter(History::tailMicros, notes::add);

  @Test
  void storm_staysBelowTheCeiling_andItsAlarmIsWhole() throws Exception {
    Soundscape soundscape =
        new Soundscape(
            new SoundRules(
                List.of(),
                List.of(new BackgroundRule("pad", "pad", BackgroundRule.DEFAULT_KEYS, 0, 1)),
                List.of(new AlarmRule("alarm", "alarm", Priority.HIGH, 2_500_000)),
                true),
            List.of(),
            limiter::add);
    read(soundscape, "pad", 0);
    read(soundscape, "alarm", 100_000);
    Random random = new Random(1);
    long rows = 0;
    for (long micros = 0; micros < LENGTH_MICROS; micros += ROW_EVERY_MICROS) {
      for (int rule = 0; rule < RULES; rule++) {
        soundscape.mark(mark(micros, rule, random));
        rows++;
      }
    }
    soundscape.advance(LENGTH_MICROS);
    double peak = StereoPeak.dbtp(Acoustics.render(notes, LENGTH_MICROS / 1e6));
    System.out.printf("storm: %d rows, %d notes, %.2f dBTP%n", rows, notes.size(), peak);

    assertThat(peak).isLessThanOrEqualTo(-1.0);
    assertThat(notesPerSecond()).isLessThanOrEqualTo(30);
    long marks =
        notes.stream()
            .filter(note -> note.kind() == NoteKind.MARK || note.kind() == NoteKind.ROLL)
            .count();
    long dropped = limiter.dropped().values().stream().mapToLong(Long::longValue).sum();
    assertThat(marks + dropped).isEqualTo(rows);
    // Bursts at 0.1, 2.85 (half a second after the one before), and so on: ten pulses each.
    assertThat(notes.stream().filter(note -> note.kind() == NoteKind.ALARM && note.micros() < 6e6))
        .hasSize(20);
  }

  private int notesPerSecond() {
    int most = 0;
    List<NoteEvent> starts = notes.stream().filter(NoteEvent::startsNote).toList();
    for (int i = 0, j = 0; i < starts.size(); i++) {
      while (starts.get(j).micros() <= starts.get(i).micros() - 1_000_000) {
        j++;
      }
      most = Math.max(most, i - j + 1);
    }
    return most;
  }

  private static Mark mark(long micros, int rule, Random random) {
    int key = 48 + random.nextInt(36);
    double pan = random.nextInt(5) * 0.4 - 0.8;
    return new Mark(
        0, micros, "r" + rule, "", PATCHES.get(rule), key, 127, 300_000, pan, Origin.LIVE);
  }

  private static void read(Soundscape soundscape, String rule, long micros) {
    soundscape.read(new RuleReading(0, micros, rule, "", true, OptionalDouble.of(1), Origin.LIVE));
  }
}
