// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sonify.play;

import io.retroscope.rql.print.OutputFile;
import io.retroscope.sonify.audio.PcmEncoder;
import io.retroscope.sonify.bank.SoundBank;
import io.retroscope.sonify.play.MidiMessages.Timed;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Writes a performance as a WAV file or a Standard MIDI File. Needs no device. */
public final class PerformanceFile {
  private static final int CHUNK_FRAMES = 4_096;
  private static final int WAV_HEADER_BYTES = 44;
  private static final int FMT_BYTES = 16;
  private static final short PCM = 1;
  private static final short STEREO = 2;
  private static final long DITHER_SEED = 1;

  private PerformanceFile() {}

  /**
   * Replaces {@code file} with the sound of the performance, at 44.1 kHz.
   *
   * @param bits 16 or 24
   * @throws IOException if it cannot be written, or if this Java does not give access to its
   *     synthesizer; no partial file stays
   */
  public static void writeWav(Performance performance, SoundBank bank, int bits, Path file)
      throws IOException {
    PcmEncoder encoder = new PcmEncoder(bits, DITHER_SEED);
    try (Rendering rendering = new Rendering(performance, bank)) {
      OutputFile.replace(file, out -> writeWav(rendering, encoder, out));
    }
  }

  private static void writeWav(Rendering rendering, PcmEncoder encoder, OutputStream out)
      throws IOException {
    int frameBytes = STEREO * encoder.bytesPerSample();
    long dataBytes = rendering.frameCount() * frameBytes;
    if (dataBytes > Integer.MAX_VALUE) {
      throw new IOException("a WAV file holds at most 2 GB: render a shorter time");
    }
    out.write(header((int) dataBytes, (short) frameBytes));
    float[] stereo = new float[STEREO * CHUNK_FRAMES];
    byte[] bytes = new byte[CHUNK_FRAMES * frameBytes];
    for (int frames = rendering.read(stereo); frames > 0; frames = rendering.read(stereo)) {
      encoder.encode(stereo, STEREO * frames, bytes);
      out.write(bytes, 0, frames * frameBytes);
    }
  }

  private static byte[] header(int dataBytes, short frameBytes) {
    ByteBuffer header = ByteBuffer.allocate(WAV_HEADER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    header.put(ascii("RIFF")).putInt(WAV_HEADER_BYTES - 8 + dataBytes).put(ascii("WAVE"));
    header.put(ascii("fmt ")).putInt(FMT_BYTES).putShort(PCM).putShort(STEREO);
    header.putInt(SoundEngine.RATE_HZ).putInt(SoundEngine.RATE_HZ * frameBytes);
    header.putShort(frameBytes).putShort((short) (8 * frameBytes / STEREO));
    return header.put(ascii("data")).putInt(dataBytes).array();
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  /**
   * Replaces {@code file} with the performance as MIDI: programs of General MIDI, with volume, pan,
   * expression and brightness.
   *
   * @throws IOException if it cannot be written; no partial file stays
   */
  public static void writeMidi(Performance performance, Path file) throws IOException {
    List<Timed> timed = new ArrayList<>();
    NoteMessages messages = new NoteMessages(timed::add);
    performance.notes().forEach(messages::add);
    messages.end(performance.lengthMicros());
    MidiFile.write(timed, file);
  }
}
