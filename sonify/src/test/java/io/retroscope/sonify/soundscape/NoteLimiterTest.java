// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sonify.soundscape;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NoteLimiterTest {
  private static final long TAIL_MICROS = 300_000;

  private final List<NoteEvent> passed = new ArrayList<>();
  private final NoteLimiter limiter = new NoteLimiter(note -> TAIL_MICROS, passed::add);

  private void add(double seconds, String rule, NoteKind kind) {
    add(seconds, rule, kind, "", 80_000);
  }

  private void add(double seconds, String rule, NoteKind kind, String node, long lengthMicros) {
    Layer layer = kind == NoteKind.ALARM ? Layer.ALARM : Layer.MARK;
    long micros = Math.round(seconds * 1e6);
    limiter.add(
        new NoteEvent(0, micros, rule, layer, kind, node, 2, "wood", 60, 90, lengthMicros, 0));
  }

  private long dropped(String rule) {
    return limiter.dropped().getOrDefault(rule, 0L);
  }

  @Test
  void fewRows_passUnchanged() {
    for (int i = 0; i < 8; i++) {
      add(0.01 * i, "r", NoteKind.MARK);
    }
    assertThat(passed).hasSize(8).allMatch(note -> note.kind() == NoteKind.MARK);
    assertThat(limiter.dropped()).isEmpty();
  }

  /** 100 rows a second are 8 strikes a second: 125 ms apart, and as loud as their number says. */
  @Test
  void manyRows_becomeARoll_withTheirNumber() {
    for (int i = 0; i < 1_000; i++) {
      add(0.01 * i, "r", NoteKind.MARK);
    }
    List<NoteEvent> steady = passed.stream().filter(note -> note.micros() > 2_000_000).toList();
    assertThat(steady).hasSizeBetween(60, 64).allMatch(note -> note.kind() == NoteKind.ROLL);
    for (int i = 1; i < steady.size(); i++) {
      assertThat(steady.get(i).micros() - steady.get(i - 1).micros())
          .isGreaterThanOrEqualTo(125_000);
    }
    NoteEvent roll = steady.get(steady.size() - 1);
    assertThat(roll.level()).isEqualTo(100, within(15.0));
    assertThat(roll.velocity()).isEqualTo(90);
    assertThat(passed.size() + dropped("r")).isEqualTo(1_000);
  }

  /** Live sound, HTTP and files begin to count their time at different moments. */
  @Test
  void roll_doesNotDependOnTheStartOfTime() {
    List<String> sounds = new ArrayList<>();
    for (long start : new long[] {0, 77_000, 1_234_567}) {
      Random random = new Random(5);
      List<NoteEvent> rolled = new ArrayList<>();
      NoteLimiter other = new NoteLimiter(note -> TAIL_MICROS, rolled::add);
      for (long micros = start; micros < start + 5_000_000; micros += random.nextInt(200_000)) {
        other.add(
            new NoteEvent(
                0, micros, "r", Layer.MARK, NoteKind.MARK, "", 0, "wood", 60, 90, 80_000, 0));
      }
      sounds.add(rolled.stream().map(note -> note.at(note.micros() - start)).toList().toString());
    }
    assertThat(sounds.stream().distinct()).hasSize(1);
    assertThat(sounds.get(0)).contains("kind=ROLL");
  }

  @Test
  void roll_endsWithTheRows() {
    for (int i = 0; i < 100; i++) {
      add(0.01 * i, "r", NoteKind.MARK);
    }
    add(5, "r", NoteKind.MARK);
    assertThat(passed.get(passed.size() - 1).kind()).isEqualTo(NoteKind.MARK);
  }

  /** Three nodes that jump at once are twelve strikes: none may be missing. */
  @Test
  void staircases_ofSeveralNodes_areWhole() {
    for (int step = 0; step < 4; step++) {
      for (String node : Scene.NODES) {
        add(0.09 * step, "stale", NoteKind.STRIKE, node, 80_000);
      }
    }
    assertThat(passed).hasSize(12);
  }

  /** When all are too many, recoveries are the first to go and strikes the last. */
  @Test
  void whatMattersLess_givesWayFirst() {
    Map<NoteKind, Integer> heard = new HashMap<>();
    for (NoteKind kind :
        List.of(NoteKind.RECOVERY, NoteKind.REPEAT, NoteKind.MARK, NoteKind.STRIKE)) {
      NoteLimiterTest alone = new NoteLimiterTest();
      for (int i = 0; i < 100; i++) {
        alone.add(0.001 * i, "rule" + i % 20, kind, "n" + i % 20, 1);
      }
      heard.put(kind, alone.passed.size());
    }
    assertThat(heard.get(NoteKind.RECOVERY)).isLessThan(heard.get(NoteKind.REPEAT));
    assertThat(heard.get(NoteKind.REPEAT)).isLessThan(heard.get(NoteKind.MARK));
    assertThat(heard.get(NoteKind.MARK)).isLessThan(heard.get(NoteKind.STRIKE));
  }

  @Test
  void voices_areLimited_andSomeKeptForAlarms() {
    for (int i = 0; i < 200; i++) {
      add(0.3 * i, "rule" + i % 10, NoteKind.STRIKE, "", 60_000_000);
    }
    assertThat(passed).hasSize(NoteLimiter.MAX_VOICES - 8);
    add(61, "alarm", NoteKind.ALARM);
    assertThat(passed).hasSize(NoteLimiter.MAX_VOICES - 7);
  }

  /** Eight rules at 10,000 rows a second each, levels, and an alarm. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2})
  void storm_keepsItsBudget_andTheAlarmWhole(long seed) {
    Random random = new Random(seed);
    Map<String, Long> rows = new HashMap<>();
    int alarms = 0;
    long alarmEvery = 200_000;
    for (long micros = 0; micros < 4_000_000; micros += 12) {
      String rule = "rule" + random.nextInt(8);
      add(micros / 1e6, rule, NoteKind.MARK);
      rows.merge(rule, 1L, Long::sum);
      if (micros / alarmEvery >= alarms) {
        add(micros / 1e6, "alarm", NoteKind.ALARM);
        alarms++;
      }
    }
    assertThat(passed.stream().filter(note -> note.kind() == NoteKind.ALARM)).hasSize(alarms);
    assertThat(dropped("alarm")).isZero();
    rows.forEach(
        (rule, count) -> {
          long heard = passed.stream().filter(note -> note.rule().equals(rule)).count();
          assertThat(heard + dropped(rule)).as(rule).isEqualTo(count);
        });
    for (int i = 0; i < passed.size(); i++) {
      long from = passed.get(i).micros();
      Set<String> heard = new HashSet<>();
      int notes = 0;
      for (int j = i; j < passed.size() && passed.get(j).micros() < from + 1_000_000; j++) {
        heard.add(passed.get(j).rule());
        notes++;
      }
      assertThat(notes).as("seed %d, from %d", seed, from).isLessThanOrEqualTo(30);
      if (from >= 1_000_000 && from < 3_000_000) {
        assertThat(heard).as("every rule is heard in the second from %d", from).hasSize(9);
      }
    }
  }

  /** Equal notes of two rules at one instant are two notes. */
  @Test
  void notesOfTwoRules_neverBecomeOne() {
    add(1, "a", NoteKind.MARK);
    add(1, "b", NoteKind.MARK);
    assertThat(passed.stream().map(NoteEvent::rule)).containsExactly("a", "b");
  }

  @Test
  void follow_isNoNote_andAlwaysPasses() {
    for (int i = 0; i < 100; i++) {
      limiter.add(
          new NoteEvent(
              0, i, "pad", Layer.BACKGROUND, NoteKind.FOLLOW, "", 0, "pad", 48, 127, 1, 0));
    }
    assertThat(passed).hasSize(100);
  }
}
