// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.sound;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.cli.shell.ShellClock;
import io.retroscope.sonify.play.LiveOutput;
import io.retroscope.sonify.soundscape.NoteEvent;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class BankListTest {
  private final List<String> heard = new ArrayList<>();
  private final StringWriter printed = new StringWriter();
  private long millis;

  private final ShellClock clock =
      new ShellClock() {
        @Override
        public long nanos() {
          return millis * 1_000_000;
        }

        @Override
        public ZonedDateTime now() {
          throw new AssertionError("no time of day is needed");
        }

        @Override
        public void pause(long pauseMillis) {
          millis += pauseMillis;
        }
      };

  private final LiveOutput output =
      new LiveOutput() {
        @Override
        public void now(NoteEvent note) {
          String line = printed.toString().lines().reduce((first, last) -> last).orElse("");
          heard.add(
              millis + " " + note.patch() + " " + note.key() + " " + line.replaceFirst(" .*", ""));
        }

        @Override
        public void advance() {}

        @Override
        public void close() {}
      };

  @Test
  void play_device_soundsEachPatchAfterItsLine() throws Exception {
    BankList.play(Optional.of(output), clock, new PrintWriter(printed, true));
    assertThat(heard)
        .hasSize(36)
        .startsWith(
            "0 wood 48 wood", "700 wood 60 wood", "1400 wood 72 wood", "2100 glass 48 glass")
        .endsWith("24500 alarm 72 alarm");
  }

  @Test
  void play_noDevice_listsWithoutWaiting() throws Exception {
    BankList.play(Optional.empty(), clock, new PrintWriter(printed, true));
    assertThat(printed.toString().lines()).hasSize(12);
    assertThat(millis).isZero();
  }
}
