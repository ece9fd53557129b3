// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sonify.play;

import static io.retroscope.sonify.play.Acoustics.BANK;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import javax.sound.midi.MidiSystem;
import javax.sound.midi.ShortMessage;
import javax.sound.midi.Track;
import javax.sound.sampled.AudioInputStream;
import javax.sound.sampled.AudioSystem;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PerformanceFileTest {
  private static final Performance PERFORMANCE =
      new Performance(
          List.of(
              Acoustics.mark(0.1, "wood", 60, 96, 0.08), Acoustics.mark(0.5, "flute", 72, 96, 0.2)),
          1_500_000);

  @TempDir Path folder;

  @ParameterizedTest
  @ValueSource(ints = {16, 24})
  void wav_holdsTheRendering_inSixteenAndTwentyFourBits(int bits) throws Exception {
    Path file = folder.resolve("a.wav");
    PerformanceFile.writeWav(PERFORMANCE, BANK, bits, file);
    float[] rendered = Acoustics.render(PERFORMANCE.notes(), 1.5);
    try (AudioInputStream in = AudioSystem.getAudioInputStream(file.toFile())) {
      assertThat(in.getFormat().getSampleSizeInBits()).isEqualTo(bits);
      assertThat(in.getFormat().getSampleRate()).isEqualTo(44_100);
      assertThat(in.getFrameLength()).isEqualTo(66_150);
      byte[] bytes = in.readAllBytes();
      int size = bits / 8;
      double step = Math.pow(2, 1 - bits);
      assertThat(bytes).hasSize(rendered.length * size);
      for (int i = 0; i < rendered.length; i++) {
        int value = bytes[size * i + size - 1];
        for (int b = size - 2; b >= 0; b--) {
          value = (value << 8) | (bytes[size * i + b] & 0xff);
        }
        assertThat(value * step).isEqualTo(rendered[i], within(2 * step + 1e-7));
      }
    }
  }

  @Test
  void wav_isTheSameEachTime() throws Exception {
    Path first = folder.resolve("a.wav");
    Path second = folder.resolve("b.wav");
    PerformanceFile.writeWav(PERFORMANCE, BANK, 16, first);
    PerformanceFile.writeWav(PERFORMANCE, BANK, 16, second);
    assertThat(Files.mismatch(first, second)).isEqualTo(-1);
  }

  /** Note to first sample: the limiter's delay is taken out. */
  @Test
  void wav_notesSoundAtTheirTime() throws Exception {
    float[] sound = Acoustics.render(PERFORMANCE.notes(), 0.4);
    int onset = 0;
    while (Math.abs(sound[2 * onset]) < 1e-3) {
      onset++;
    }
    assertThat(onset / 44_100.0).isEqualTo(0.1, within(0.003));
  }

  /** Reverb and chorus would blur strikes that are 90 ms apart. */
  @Test
  void wav_hasNoEcho() throws Exception {
    float[] sound = Acoustics.render(List.of(Acoustics.mark(0.1, "wood", 60, 127, 0.08)), 1);
    for (int i = 2 * 44_100 * 6 / 10; i < sound.length; i++) {
      assertThat(sound[i]).isZero();
    }
  }

  @Test
  void wavBeyond2GB_isRefused_andNoFileStays() {
    Path file = folder.resolve("a.wav");
    Performance endless = new Performance(List.of(), 4L * 3_600_000_000L);
    assertThatThrownBy(() -> PerformanceFile.writeWav(endless, BANK, 24, file))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("2 GB");
    assertThat(file).doesNotExist();
  }

  @Test
  void midi_hasVolumePanExpressionAndBrightness() throws Exception {
    Path file = folder.resolve("a.mid");
    PerformanceFile.writeMidi(PERFORMANCE, file);
    Track track = MidiSystem.getSequence(file.toFile()).getTracks()[0];
    Set<Integer> controllers = new TreeSet<>();
    Set<Integer> programs = new TreeSet<>();
    int notes = 0;
    for (int i = 0; i < track.size(); i++) {
      if (track.get(i).getMessage() instanceof ShortMessage message) {
        if (message.getCommand() == ShortMessage.CONTROL_CHANGE) {
          controllers.add(message.getData1());
        } else if (message.getCommand() == ShortMessage.PROGRAM_CHANGE) {
          programs.add(message.getData1());
        } else if (message.getCommand() == ShortMessage.NOTE_ON) {
          notes++;
        }
      }
    }
    assertThat(controllers).containsExactly(7, 10, 11, 74);
    assertThat(programs).containsExactly(73, 115);
    assertThat(notes).isEqualTo(2);
  }
}
