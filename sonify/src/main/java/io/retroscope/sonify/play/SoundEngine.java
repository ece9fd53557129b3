// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sonify.play;

import io.retroscope.sonify.audio.PeakLimiter;
import java.io.IOException;
import java.util.Map;
import javax.sound.midi.ShortMessage;
import javax.sound.midi.Soundbank;
import javax.sound.sampled.AudioFormat;

/**
 * The one path from MIDI messages to samples, live and offline: the JDK's synthesizer with a bank
 * of ours, and the peak limiter. Not thread-safe.
 */
public final class SoundEngine implements AutoCloseable {
  /** Frames per second. */
  public static final int RATE_HZ = 44_100;

  /** How often the synthesizer takes messages: its default of 147 delays a note by 14 ms. */
  static final int CONTROL_RATE_HZ = 500;

  /**
   * From the synthesizer to the mix. A patch at key 60, velocity 96 and the volume of the marks
   * reaches the loudness of the marks with it.
   */
  static final double MASTER_GAIN_DB = 12;

  /** More than the delay of the limiter and a step of the synthesizer. */
  private static final long AHEAD_MICROS = 8_000;

  private static final AudioFormat FLOATS =
      new AudioFormat(AudioFormat.Encoding.PCM_FLOAT, RATE_HZ, 32, 2, 8, RATE_HZ, false);

  /** The limiter of the JDK reaches -0.02 dBTP and pumps; echoes would blur levels. */
  private static final Map<String, Object> SETTINGS =
      Map.of(
          "control rate", (float) CONTROL_RATE_HZ,
          "reverb", false,
          "chorus", false,
          "auto gain control", false,
          "load default soundbank", false,
          "max polyphony", 64);

  private final OfflineSynthesizer synthesizer;
  private final PeakLimiter limiter = new PeakLimiter(RATE_HZ);
  private final float masterGain = (float) Math.pow(10, MASTER_GAIN_DB / 20);
  private byte[] bytes = new byte[0];
  private int unread = limiter.delayFrames();

  /**
   * Opens the synthesizer.
   *
   * @throws IOException if this Java does not give access to it
   */
  public SoundEngine(Soundbank bank) throws IOException {
    synthesizer = new OfflineSynthesizer(FLOATS, SETTINGS);
    synthesizer.use(bank);
  }

  /** Frames that begin within this time. */
  static long frames(long micros) {
    return micros * RATE_HZ / 1_000_000;
  }

  /**
   * All messages up to this time must have been sent before the frames up to {@code frame} are
   * read: the engine runs ahead by the limiter's delay and a step of the synthesizer.
   */
  static long horizonMicros(long frame) {
    return frame * 1_000_000 / RATE_HZ + AHEAD_MICROS;
  }

  /** Schedules a message at a time of this engine, in microseconds from its first frame. */
  void send(ShortMessage message, long micros) {
    synthesizer.receiver().send(message, micros);
  }

  /**
   * Computes the next frames. Messages for them must have been sent. The limiter's delay is taken
   * out: the engine runs ahead by it.
   *
   * @param stereo takes interleaved frames
   */
  void read(float[] stereo, int frames) throws IOException {
    while (unread > 0) {
      int skipped = Math.min(unread, frames);
      readLimited(stereo, skipped);
      unread -= skipped;
    }
    readLimited(stereo, frames);
  }

  private void readLimited(float[] stereo, int frames) throws IOException {
    int length = frames * FLOATS.getFrameSize();
    if (bytes.length < length) {
      bytes = new byte[length];
    }
    if (synthesizer.audio().readNBytes(bytes, 0, length) < length) {
      throw new IOException("the synthesizer has ended");
    }
    for (int i = 0; i < 2 * frames; i++) {
      int at = 4 * i;
      int bits =
          (bytes[at] & 0xff)
              | (bytes[at + 1] & 0xff) << 8
              | (bytes[at + 2] & 0xff) << 16
              | bytes[at + 3] << 24;
      stereo[i] = Float.intBitsToFloat(bits) * masterGain;
    }
    limiter.process(stereo, frames);
  }

  @Override
  public void close() {
    synthesizer.close();
  }
}
