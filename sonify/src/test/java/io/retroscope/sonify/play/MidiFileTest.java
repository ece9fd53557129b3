package io.retroscope.sonify.play;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.rql.answer.Note;
import io.retroscope.sonify.score.Instrument;
import io.retroscope.sonify.score.ScoreComposer;
import io.retroscope.sonify.score.ScoreOptions;
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
  void write_readBack_hasTheNotesAtTheirMilliseconds() throws Exception {
    assertThat(readBack(Scores.oneASecond("woodblock", List.of(60, 64))))
        .containsExactly(
            "0 ms program 115 on channel 0",
            "0 ms key 60 velocity 96 on channel 0",
            "200 ms end of key 60 on channel 0",
            "1000 ms key 64 velocity 96 on channel 0",
            "1200 ms end of key 64 on channel 0");
  }

  @Test
  void write_moreInstrumentsThanChannels_sendsTheProgramAgain() throws Exception {
    ScoreComposer composer = new ScoreComposer(ScoreOptions.DEFAULT);
    for (int i = 0; i < 20; i++) {
      composer.add(
          HlcTimestamp.pack(i * 1_000_000L), new Note(Instrument.names().get(i), 60, 96, 1_000));
    }
    List<String> programs =
        readBack(composer.compose()).stream().filter(line -> line.contains("program")).toList();
    assertThat(programs).hasSize(20).noneMatch(line -> line.endsWith("channel 9"));
    assertThat(programs.get(15)).isEqualTo("15000 ms program 15 on channel 0");
  }

  @Test
  void write_whereNoFileCanBe_failsAndLeavesNothing() {
    Path file = folder.resolve("absent").resolve("a.mid");
    assertThatThrownBy(() -> MidiFile.write(Scores.oneASecond("flute", List.of(60)), file))
        .isInstanceOf(IOException.class);
    assertThat(file).doesNotExist();
  }

  private List<String> readBack(io.retroscope.sonify.score.Score score)
      throws IOException, InvalidMidiDataException {
    Path file = folder.resolve("a.mid");
    MidiFile.write(score, file);
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
          default -> "command " + message.getCommand();
        };
    return what + " on channel " + message.getChannel();
  }
}
