// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.sound;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retroscope.cli.process.CommandException;
import io.retroscope.cli.sound.RuleVolumes.QuietHours;
import io.retroscope.sonify.soundscape.Layer;
import io.retroscope.sonify.soundscape.NoteEvent;
import io.retroscope.sonify.soundscape.NoteKind;
import java.time.LocalTime;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class RuleVolumesTest {
  private static final LocalTime NOON = LocalTime.NOON;
  private static final NoteEvent FIRST = note("1 wood", Layer.MARK);
  private static final NoteEvent SECOND = note("2 pad", Layer.BACKGROUND);
  private static final NoteEvent LOSS = note("server", Layer.SERVER);

  private static NoteEvent note(String rule, Layer layer) {
    return new NoteEvent(0, 0, rule, layer, NoteKind.STRIKE, "", 0, "wood", 60, 96, 80_000, 0);
  }

  @Test
  void unchanged_isHeardAsItIs() {
    assertThat(RuleVolumes.UNCHANGED.apply(FIRST, NOON)).contains(FIRST);
  }

  @Test
  void mute_silencesAllButTheLossOfTheServer() {
    RuleVolumes mute = new RuleVolumes(true, Set.of(), Set.of(), Map.of(), Optional.empty());
    assertThat(mute.apply(FIRST, NOON)).isEmpty();
    assertThat(mute.apply(LOSS, NOON)).contains(LOSS);
  }

  @Test
  void mutedAndSolo_selectByNumber() {
    RuleVolumes muted = new RuleVolumes(false, Set.of(1), Set.of(), Map.of(), Optional.empty());
    assertThat(muted.apply(FIRST, NOON)).isEmpty();
    assertThat(muted.apply(SECOND, NOON)).contains(SECOND);
    RuleVolumes solo = new RuleVolumes(false, Set.of(), Set.of(1), Map.of(), Optional.empty());
    assertThat(solo.apply(FIRST, NOON)).contains(FIRST);
    assertThat(solo.apply(SECOND, NOON)).isEmpty();
  }

  @Test
  void volume_changesTheForce() {
    RuleVolumes softer =
        new RuleVolumes(false, Set.of(), Set.of(), Map.of(1, -6.0), Optional.empty());
    assertThat(softer.apply(FIRST, NOON).orElseThrow().velocity()).isEqualTo(68);
    assertThat(softer.apply(SECOND, NOON)).contains(SECOND);
  }

  @Test
  void quietHours_mayIncludeMidnight() {
    RuleVolumes night =
        new RuleVolumes(
            false, Set.of(), Set.of(), Map.of(), Optional.of(QuietHours.parse("22:00-07:00")));
    assertThat(night.apply(FIRST, LocalTime.of(23, 0))).isEmpty();
    assertThat(night.apply(FIRST, LocalTime.of(6, 59))).isEmpty();
    assertThat(night.apply(FIRST, LocalTime.of(7, 0))).contains(FIRST);
    assertThat(night.apply(LOSS, LocalTime.of(23, 0))).contains(LOSS);
    assertThatThrownBy(() -> QuietHours.parse("night")).isInstanceOf(CommandException.class);
  }
}
