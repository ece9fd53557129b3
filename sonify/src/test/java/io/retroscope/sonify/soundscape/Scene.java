// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sonify.soundscape;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;

/** A soundscape under test: readings in, notes out, times in milliseconds. */
final class Scene {
  static final List<String> NODES = List.of("z1", "z2", "z3");

  final List<NoteEvent> notes = new ArrayList<>();
  final Soundscape soundscape;

  Scene(SoundRules rules) {
    soundscape = new Soundscape(rules, NODES, notes::add);
  }

  /** One rule "stale" with LEVEL and all defaults. */
  static Scene ofLevels() {
    return new Scene(
        new SoundRules(List.of(LevelRule.of("stale", "wood")), List.of(), List.of(), false));
  }

  Scene level(long millis, double level) {
    return level(millis, "z2", level, Origin.LIVE);
  }

  Scene level(long millis, String node, double level, Origin origin) {
    return read(millis, "stale", node, true, OptionalDouble.of(level), origin);
  }

  Scene absent(long millis) {
    return read(millis, "stale", "z2", true, OptionalDouble.empty(), Origin.LIVE);
  }

  Scene truth(long millis, String rule, boolean truth, Origin origin) {
    return read(millis, rule, "", truth, OptionalDouble.empty(), origin);
  }

  Scene read(
      long millis, String rule, String node, boolean truth, OptionalDouble value, Origin origin) {
    soundscape.read(
        new RuleReading(millis * 1_000, millis * 1_000, rule, node, truth, value, origin));
    return this;
  }

  Scene until(long millis) {
    soundscape.advance(millis * 1_000);
    return this;
  }

  /** The notes as {@code millis KIND key velocity}. */
  List<String> heard() {
    return notes.stream()
        .map(
            note ->
                "%d %s %d %d"
                    .formatted(note.micros() / 1_000, note.kind(), note.key(), note.velocity()))
        .toList();
  }
}
