// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sonify.play;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retroscope.sonify.play.MidiMessages.Timed;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.sound.midi.InvalidMidiDataException;
import javax.sound.midi.MidiSystem;
import javax.sound.midi.Sequence;
import javax.sound.midi.ShortMessage;
import javax.sound.midi.Track;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MidiFileTest {
  @TempDir Path folder;

  @Test
  void write_readBack_hasTheMessagesAtTheirMilliseconds() throws Exception {
    List<String> lines =
        readBack(
            List.of(
                new Timed(0, MidiMessages.program(2, 115)),
                new Timed(1_900, MidiMessages.on(2, 60, 96)),
                new Timed(200_000, MidiMessages.off(2, 60)),
                new Timed(1_200_000, MidiMessages.control(2, 7, 100))));
    assertThat(lines)
        .containsExactly(
            "0 ms program 115 on channel 2",
            "1 ms key 60 velocity 96 on channel 2",
            "200 ms end of key 60 on channel 2",
            "1200 ms control 7 is 100 on channel 2");
  }

  @Test
  void write_whereNoFileCanBe_failsAndLeavesNothing() {
    Path file = folder.resolve("absent").resolve("a.mid");
    assertThatThrownBy(() -> MidiFile.write(List.of(), file)).isInstanceOf(IOException.class);
    assertThat(file).doesNotExist();
  }

  private List<String> readBack(List<Timed> messages) throws IOException, InvalidMidiDataException {
    Path file = folder.resolve("a.mid");
    MidiFile.write(messages, file);
    Sequence sequence = MidiSystem.getSequence(file.toFile());
    assertThat(sequence.getMicrosecondLength() / 1_000)
        .as("one tick is one millisecond")
        .isEqualTo(sequence.getTickLength());
    List<String> lines = new ArrayList<>();
    for (Track track : sequence.getTracks()) {
      for (int i = 0; i < track.size(); i++) {
        if (track.get(i).getMessage() instanceof ShortMessage message) {
          lines.add(track.get(i).getTick() + " ms " + describe(message));
        }
      }
    }
    return lines;
  }

  private static String describe(ShortMessage message) {
    String what =
        switch (message.getCommand()) {
          case ShortMessage.PROGRAM_CHANGE -> "program " + message.getData1();
          case ShortMessage.NOTE_ON ->
              "key " + message.getData1() + " velocity " + message.getData2();
          case ShortMessage.NOTE_OFF -> "end of key " + message.getData1();
          default -> "control " + message.getData1() + " is " + message.getData2();
        };
    return what + " on channel " + message.getChannel();
  }
}
