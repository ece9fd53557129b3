// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.sound;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.sonify.soundscape.Layer;
import io.retroscope.sonify.soundscape.NoteEvent;
import io.retroscope.sonify.soundscape.NoteKind;
import org.junit.jupiter.api.Test;

class NoteLinesTest {
  private final NoteLines lines = new NoteLines(false);

  private String line(long micros, String rule, NoteKind kind, String node, double level) {
    return line(HlcTimestamp.pack(7, 1), micros, rule, kind, node, level);
  }

  private String line(
      long hlc, long micros, String rule, NoteKind kind, String node, double level) {
    NoteEvent note =
        new NoteEvent(hlc, micros, rule, Layer.MARK, kind, node, level, "wood", 60, 96, 80_000, 0);
    return lines.of(note).orElse("");
  }

  @Test
  void of_levels_hasRuleNodeAndLevel() {
    assertThat(line(0, "1 wood", NoteKind.STRIKE, "zk1", 4))
        .isEqualTo("hlc'7.1' 1 wood zk1: level 4");
    assertThat(line(0, "1 wood", NoteKind.REPEAT, "zk1", 4.25))
        .isEqualTo("hlc'7.1' 1 wood zk1: still at level 4.25");
    assertThat(line(0, "1 wood", NoteKind.FOLLOW, "", 1)).isEmpty();
  }

  @Test
  void of_jump_isOneLineForItsStrikes() {
    assertThat(line(0, "1 wood", NoteKind.STRIKE, "zk1", 4)).endsWith("level 4");
    assertThat(line(90_000, "1 wood", NoteKind.STRIKE, "zk1", 4)).isEmpty();
    assertThat(line(90_000, "1 wood", NoteKind.STRIKE, "zk2", 4)).endsWith("zk2: level 4");
    assertThat(line(HlcTimestamp.pack(8), 180_000, "1 wood", NoteKind.STRIKE, "zk1", 8))
        .endsWith("level 8");
  }

  @Test
  void of_patternOfSeveralNotes_isOneLine() {
    assertThat(line(0, "server", NoteKind.LOST, "", 0)).isEqualTo("hlc'7.1' server: lost");
    assertThat(line(300_000, "server", NoteKind.LOST, "", 0)).isEmpty();
    assertThat(line(15_000_000, "server", NoteKind.LOST, "", 0)).endsWith("lost");
    assertThat(line(16_000_000, "server", NoteKind.BACK, "", 0)).endsWith("back");
    assertThat(line(16_300_000, "server", NoteKind.BACK, "", 0)).isEmpty();
    assertThat(line(16_300_000, "2 alarm", NoteKind.ALARM, "", 0)).endsWith("2 alarm: alarm");
    assertThat(line(16_700_000, "2 alarm", NoteKind.ALARM, "", 0)).isEmpty();
    assertThat(line(16_700_000, "3 alarm", NoteKind.ALARM, "", 0)).endsWith("3 alarm: alarm");
  }

  @Test
  void of_reminderOfAnAlarm_saysHowLongItLasts() {
    assertThat(line(1_000_000, "2 alarm", NoteKind.ALARM, "", 0)).endsWith("2 alarm: alarm");
    assertThat(line(1_400_000, "2 alarm", NoteKind.ALARM, "", 0)).isEmpty();
    assertThat(line(31_000_000, "2 alarm", NoteKind.ALARM, "", 0))
        .endsWith("2 alarm: alarm lasts for 30 s");
    assertThat(line(HlcTimestamp.pack(9), 71_000_000, "2 alarm", NoteKind.ALARM, "", 0))
        .endsWith("2 alarm: alarm");
  }

  @Test
  void of_beforeTheFirstCut_hasNoStamp() {
    assertThat(line(HlcTimestamp.MIN_PACKED, 0, "server", NoteKind.LOST, "", 0))
        .isEqualTo("server: lost");
  }
}
