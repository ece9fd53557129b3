package io.retroscope.sonify.play;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.sonify.score.Score;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import javax.sound.sampled.AudioInputStream;
import javax.sound.sampled.AudioSystem;
import javax.sound.sampled.UnsupportedAudioFileException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WavFileTest {
  private static final int RATE = (int) WavFile.FORMAT.getFrameRate();
  private static final List<Integer> KEYS = List.of(60, 67, 76, 62);

  /** The synthesizer works in steps of 7 ms, and a string takes a moment to sound. */
  private static final double ONSET_TOLERANCE_SECONDS = 0.02;

  @TempDir Path folder;

  /**
   * The JDK's emergency sound bank plays its woodblock slightly more than an octave below the key;
   * for NOTE it is sufficient that the pitch follows the key.
   */
  @ParameterizedTest
  @CsvSource({
    "woodblock, 0.52",
    "Electric Piano 1, 1",
    "vibraphone, 1",
    "acoustic guitar (steel), 1"
  })
  void write_eachNote_soundsAtItsTimeAndPitch(String instrument, double pitchFactor)
      throws Exception {
    double[] sound = render(Scores.oneASecond(instrument, KEYS));
    for (int i = 0; i < KEYS.size(); i++) {
      double[] note = window(sound, i, i + 0.25);
      assertThat(rms(note)).as("loudness of note %d", i).isGreaterThan(0.02);
      assertThat(onsetSeconds(sound, i)).isBetween(i - 0.001, i + ONSET_TOLERANCE_SECONDS);
      double own = energyNear(note, frequency(KEYS.get(i)) * pitchFactor);
      for (int other : KEYS) {
        if (other != KEYS.get(i)) {
          assertThat(own)
              .as("%s: key %d against key %d in note %d", instrument, KEYS.get(i), other, i)
              .isGreaterThan(4 * energyNear(note, frequency(other) * pitchFactor));
        }
      }
      assertThat(rms(window(sound, i + 0.9, i + 0.99)))
          .as("silence after note %d", i)
          .isLessThan(rms(note) / 20);
    }
  }

  @Test
  void write_lengthOfFile_isThatOfTheScoreAndASecond() throws Exception {
    double[] sound = render(Scores.oneASecond("flute", KEYS));
    assertThat(sound).hasSize((int) (4.2 * RATE));
  }

  @Test
  void write_emptyScore_isASecondOfSilence() throws Exception {
    double[] sound = render(Scores.oneASecond("flute", List.of()));
    assertThat(sound).hasSize(RATE);
    assertThat(rms(sound)).isLessThan(1e-4);
  }

  private double[] render(Score score) throws IOException, UnsupportedAudioFileException {
    Path file = folder.resolve("a.wav");
    WavFile.write(score, file);
    try (AudioInputStream in = AudioSystem.getAudioInputStream(file.toFile())) {
      assertThat(in.getFormat().matches(WavFile.FORMAT)).isTrue();
      byte[] bytes = in.readAllBytes();
      double[] mono = new double[bytes.length / 4];
      for (int i = 0; i < mono.length; i++) {
        mono[i] = (sample(bytes, 4 * i) + sample(bytes, 4 * i + 2)) / 65536.0;
      }
      return mono;
    }
  }

  private static int sample(byte[] bytes, int at) {
    return (bytes[at + 1] << 8) | (bytes[at] & 0xff);
  }

  private static double[] window(double[] sound, double fromSeconds, double toSeconds) {
    return java.util.Arrays.copyOfRange(
        sound, (int) (fromSeconds * RATE), (int) (toSeconds * RATE));
  }

  private static double rms(double[] sound) {
    double sum = 0;
    for (double sample : sound) {
      sum += sample * sample;
    }
    return Math.sqrt(sum / sound.length);
  }

  /**
   * The time, around the given second, at which the sound first exceeds a fifth of that second's
   * peak.
   */
  private static double onsetSeconds(double[] sound, int second) {
    int from = Math.max(0, second * RATE - RATE / 20);
    double peak = 0;
    for (double sample : window(sound, second, second + 0.5)) {
      peak = Math.max(peak, Math.abs(sample));
    }
    int at = from;
    while (Math.abs(sound[at]) < peak / 5) {
      at++;
    }
    return (double) at / RATE;
  }

  private static double frequency(int key) {
    return 440 * Math.pow(2, (key - 69) / 12.0);
  }

  /** The strongest of the frequencies within a quarter tone. */
  private static double energyNear(double[] sound, double frequency) {
    double strongest = 0;
    for (double detune = -0.5; detune <= 0.5; detune += 0.125) {
      strongest = Math.max(strongest, goertzel(sound, frequency * Math.pow(2, detune / 12)));
    }
    return strongest;
  }

  /** Goertzel's algorithm over a Hann window: the amplitude of one frequency. */
  private static double goertzel(double[] sound, double frequency) {
    double coefficient = 2 * Math.cos(2 * Math.PI * frequency / RATE);
    double previous = 0;
    double beforePrevious = 0;
    for (int i = 0; i < sound.length; i++) {
      double hann = 0.5 - 0.5 * Math.cos(2 * Math.PI * i / sound.length);
      double current = hann * sound[i] + coefficient * previous - beforePrevious;
      beforePrevious = previous;
      previous = current;
    }
    return Math.sqrt(
            previous * previous
                + beforePrevious * beforePrevious
                - coefficient * previous * beforePrevious)
        / sound.length;
  }
}
