// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sonify.play;

import io.retroscope.sonify.soundscape.AlarmRule;
import io.retroscope.sonify.soundscape.AlarmRule.Priority;
import io.retroscope.sonify.soundscape.BackgroundRule;
import io.retroscope.sonify.soundscape.LevelRule;
import io.retroscope.sonify.soundscape.Mark;
import io.retroscope.sonify.soundscape.NoteEvent;
import io.retroscope.sonify.soundscape.NoteLimiter;
import io.retroscope.sonify.soundscape.Origin;
import io.retroscope.sonify.soundscape.RuleReading;
import io.retroscope.sonify.soundscape.SoundRules;
import io.retroscope.sonify.soundscape.Soundscape;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalDouble;
import java.util.Random;

/**
 * Stretches of staleness on three nodes, with other sounds: a background that follows the worst, a
 * second rule, and an alarm while a node lags by eight versions.
 */
final class History {
  static final List<String> NODES = List.of("z1", "z2", "z3");
  static final double[] LEVELS = {2, 3, 4, 8};

  private static final SoundRules RULES =
      new SoundRules(
          List.of(LevelRule.of("stale", "wood")),
          List.of(new BackgroundRule("spread", "pad", BackgroundRule.DEFAULT_KEYS, 0, 8)),
          List.of(new AlarmRule("far", "alarm", Priority.MEDIUM, 5_000_000)),
          false);

  private final List<Stretch> stretches = new ArrayList<>();
  private final List<Change> changes = new ArrayList<>();
  private double seconds = 1;

  /**
   * A stretch in which a node lags.
   *
   * @param node index in NODES
   * @param steps how many of LEVELS it reaches
   */
  record Stretch(double seconds, int node, int steps) {}

  private record Change(double seconds, int node, double level) {}

  /** Twenty stretches: each level five times, jumps and climbs, some at two nodes at once. */
  static History fixed() {
    History history = new History();
    Random random = new Random(20);
    for (int i = 0; i < 20; i++) {
      int steps = 1 + i % 4;
      boolean climbs = i % 3 == 2;
      history.add((i * 2 + i / 4) % 3, steps, climbs, 0.6 + 0.25 * (i % 6));
      history.seconds += i % 5 == 4 ? 0.45 : 2.2 + 0.2 * random.nextDouble();
    }
    return history;
  }

  /** Stretches at random nodes, levels and times. */
  static History random(long seed, int count) {
    History history = new History();
    Random random = new Random(seed);
    for (int i = 0; i < count; i++) {
      double length = 0.3 + random.nextDouble();
      history.add(random.nextInt(3), 1 + random.nextInt(4), random.nextBoolean(), length);
      history.seconds += length + 1.2 + 0.5 * random.nextDouble();
    }
    return history;
  }

  private void add(int node, int steps, boolean climbs, double length) {
    stretches.add(new Stretch(seconds, node, steps));
    for (int step = climbs ? 1 : steps; step <= steps; step++) {
      double at = seconds + (climbs ? (step - 1) * length / steps : 0);
      changes.add(new Change(at, node, LEVELS[step - 1]));
    }
    changes.add(new Change(seconds + length, node, 0));
  }

  List<Stretch> stretches() {
    return stretches;
  }

  double lengthSeconds() {
    return seconds + 3;
  }

  /** The notes, with everything else sounding. */
  List<NoteEvent> notes() {
    List<NoteEvent> notes = new ArrayList<>();
    NoteLimiter limiter = new NoteLimiter(History::tailMicros, notes::add);
    Soundscape soundscape = new Soundscape(RULES, NODES, limiter::add);
    changes.sort(Comparator.comparingDouble(Change::seconds));
    double[] levels = new double[NODES.size()];
    Random random = new Random(3);
    double nextRow = 0.3;
    read(soundscape, 0, "spread", "", true, 0);
    for (Change change : changes) {
      for (; nextRow < change.seconds; nextRow += 0.3 + random.nextDouble()) {
        row(soundscape, nextRow);
      }
      levels[change.node] = change.level;
      double worst = Math.max(levels[0], Math.max(levels[1], levels[2]));
      String node = NODES.get(change.node);
      read(soundscape, change.seconds, "stale", node, change.level >= 2, change.level);
      read(soundscape, change.seconds, "spread", "", true, worst);
      read(soundscape, change.seconds, "far", "", worst >= 8, worst);
    }
    soundscape.advance(Acoustics.micros(lengthSeconds()));
    return notes;
  }

  /**
   * The notes of a statement with EMIT EDGES and NOTE 60 + 2 * SPREAD(r1) alone: versions arrive
   * one at a time, so that each stretch begins at a spread of two.
   */
  List<NoteEvent> notesOfEdges() {
    int key = 60 + 2 * (int) LEVELS[0];
    return stretches.stream()
        .map(stretch -> Acoustics.mark(stretch.seconds, "wood", key, 96, 0.2))
        .toList();
  }

  private static void read(
      Soundscape soundscape, double at, String rule, String node, boolean truth, double value) {
    long micros = Acoustics.micros(at);
    soundscape.read(
        new RuleReading(micros, micros, rule, node, truth, OptionalDouble.of(value), Origin.LIVE));
  }

  private static void row(Soundscape soundscape, double at) {
    long micros = Acoustics.micros(at);
    soundscape.mark(new Mark(micros, micros, "row", "", "pluck", 43, 90, 200_000, 0, Origin.LIVE));
  }

  static long tailMicros(NoteEvent note) {
    return Acoustics.PATCHES.patch(note.patch()).orElseThrow().tailMicros(note.lengthMicros());
  }
}
