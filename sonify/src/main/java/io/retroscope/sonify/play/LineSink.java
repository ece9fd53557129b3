// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sonify.play;

import io.retroscope.sonify.audio.PcmEncoder;
import java.util.Optional;
import javax.sound.sampled.AudioFormat;
import javax.sound.sampled.AudioSystem;
import javax.sound.sampled.DataLine;
import javax.sound.sampled.LineUnavailableException;
import javax.sound.sampled.Mixer;
import javax.sound.sampled.SourceDataLine;

/** The sound card, with a short buffer. Not thread-safe. */
public final class LineSink implements AudioSink {
  /** Sound that waits in the card: the JDK's synthesizer has 120 ms. */
  public static final long BUFFER_MICROS = 20_000;

  private static final int BITS = 16;
  private static final long DITHER_SEED = 1;
  private static final AudioFormat FORMAT =
      new AudioFormat(SoundEngine.RATE_HZ, BITS, 2, true, false);

  private final SourceDataLine line;
  private final PcmEncoder encoder = new PcmEncoder(BITS, DITHER_SEED);
  private byte[] bytes = new byte[0];

  /**
   * Opens a line of a device, or the machine's.
   *
   * @throws LineUnavailableException if there is none, or another program has taken it
   */
  public static LineSink open(Optional<Mixer.Info> device) throws LineUnavailableException {
    try {
      DataLine.Info info = new DataLine.Info(SourceDataLine.class, FORMAT);
      return new LineSink(
          (SourceDataLine)
              (device.isPresent()
                  ? AudioSystem.getMixer(device.get()).getLine(info)
                  : AudioSystem.getLine(info)));
    } catch (IllegalArgumentException e) {
      // Its message lists formats, which does not help.
      throw new LineUnavailableException("this machine has no audio line");
    }
  }

  LineSink(SourceDataLine line) throws LineUnavailableException {
    this.line = line;
    line.open(FORMAT, (int) SoundEngine.frames(BUFFER_MICROS) * FORMAT.getFrameSize());
    line.start();
  }

  @Override
  public boolean write(float[] stereo, int frames) {
    int length = frames * FORMAT.getFrameSize();
    if (bytes.length < length) {
      bytes = new byte[length];
    }
    encoder.encode(stereo, 2 * frames, bytes);
    return line.write(bytes, 0, length) == length;
  }

  @Override
  public void close() {
    line.close();
  }
}
