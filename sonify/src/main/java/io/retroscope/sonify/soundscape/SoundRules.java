// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sonify.soundscape;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The rules of a soundscape that have state. Rules whose rows sound as they come need none: see
 * {@link Mark}. Immutable.
 *
 * @param levels rules with LEVEL
 * @param backgrounds rules AS BACKGROUND
 * @param alarms rules AS ALARM
 * @param heartbeat whether a click shows every 30 s that all is well
 */
public record SoundRules(
    List<LevelRule> levels,
    List<BackgroundRule> backgrounds,
    List<AlarmRule> alarms,
    boolean heartbeat) {
  /** Checks that no name occurs twice, and copies the lists. */
  public SoundRules {
    levels = List.copyOf(levels);
    backgrounds = List.copyOf(backgrounds);
    alarms = List.copyOf(alarms);
    Set<String> names = new HashSet<>();
    Stream.of(
            levels.stream().map(LevelRule::name),
            backgrounds.stream().map(BackgroundRule::name),
            alarms.stream().map(AlarmRule::name))
        .flatMap(stream -> stream)
        .forEach(
            name -> {
              if (!names.add(name)) {
                throw new IllegalArgumentException("two rules are named " + name);
              }
            });
  }
}
