package io.retroscope.sonify.play;

import io.retroscope.sonify.score.Score;
import java.io.IOException;
import java.nio.file.Path;
import javax.sound.midi.Receiver;
import javax.sound.sampled.AudioFileFormat;
import javax.sound.sampled.AudioFormat;
import javax.sound.sampled.AudioInputStream;
import javax.sound.sampled.AudioSystem;

/** A writer of scores as WAV files with the JDK's synthesizer. Needs no sound card. */
public final class WavFile {
  /** The audio format: CD quality. */
  public static final AudioFormat FORMAT = new AudioFormat(44_100, 16, 2, true, false);

  /** The time for the last note and its echo to fade. */
  private static final long TAIL_MICROS = 1_000_000;

  private WavFile() {}

  /**
   * Replaces {@code file} with the sound of the score and a second for it to fade.
   *
   * @throws IOException if it cannot be written, or if this Java does not give access to its
   *     synthesizer; no partial file remains
   */
  public static void write(Score score, Path file) throws IOException {
    try (OfflineSynthesizer synthesizer = new OfflineSynthesizer(FORMAT)) {
      Receiver receiver = synthesizer.receiver();
      for (MidiMessages.Timed timed : MidiMessages.of(score)) {
        receiver.send(timed.message(), timed.micros());
      }
      AudioInputStream sound =
          new AudioInputStream(synthesizer.audio(), FORMAT, frameCount(score.lengthMicros()));
      SoundFile.write(file, out -> AudioSystem.write(sound, AudioFileFormat.Type.WAVE, out));
    }
  }

  private static long frameCount(long lengthMicros) {
    return (long) ((lengthMicros + TAIL_MICROS) * (double) FORMAT.getFrameRate() / 1e6);
  }
}
