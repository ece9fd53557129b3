// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sonify.bank;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A SoundFont 2.01 file in the making.
 *
 * <pre>
 *   RIFF sfbk
 *     LIST INFO  ifil isng INAM ICOP
 *     LIST sdta  smpl                     16-bit samples, 46 zeros after each
 *     LIST pdta  phdr pbag pmod pgen      128 presets, each one zone: its instrument
 *                inst ibag imod igen      one instrument per patch, a zone per sample
 *                shdr                     one header per sample
 * </pre>
 */
final class SoundFontFile {
  private static final int MODE_LOOP = 1;
  private static final int CUTOFF = 8;
  private static final int ATTACK = 34;
  private static final int RELEASE = 38;
  private static final int INSTRUMENT = 41;
  private static final int KEY_RANGE = 43;
  private static final int SAMPLE_ID = 53;
  private static final int SAMPLE_MODES = 54;
  private static final int SCALE_TUNING = 56;
  private static final int ROOT_KEY = 58;

  /** A struck note must not be cut by its end: it fades over more than its sample lasts. */
  private static final double STRUCK_RELEASE_SECONDS = 20;

  /** Frames of a loop that are repeated before its start and after its end, to interpolate. */
  private static final int GUARD = 16;

  /** Zeros that the format wants after each sample. */
  private static final int ZEROS = 46;

  private static final double KEY_0_HZ = 8.176;
  private static final int NAME_BYTES = 20;
  private static final int MONO = 1;

  private final Chunk samples = new Chunk();
  private final Chunk headers = new Chunk();
  private final Chunk instruments = new Chunk();
  private final Chunk zones = new Chunk();
  private final Chunk generators = new Chunk();
  private final Map<String, Integer> numbers = new LinkedHashMap<>();
  private int sampleCount;
  private int zoneCount;

  /** Adds the instrument of a patch with its samples, ordered by key. */
  void add(Patch patch, List<PatchSample> patchSamples) {
    numbers.put(patch.name(), numbers.size());
    instruments.name(patch.name()).u16(zoneCount);
    int lowest = 0;
    for (int i = 0; i < patchSamples.size(); i++) {
      PatchSample sample = patchSamples.get(i);
      boolean last = i == patchSamples.size() - 1;
      int highest = last ? 127 : (sample.key() + patchSamples.get(i + 1).key() - 1) / 2;
      addZone(patch, sample, lowest, highest);
      addSample(patch, sample);
      lowest = highest + 1;
    }
  }

  private void addZone(Patch patch, PatchSample sample, int lowest, int highest) {
    zones.u16(generators.size() / 4).u16(0);
    zoneCount++;
    generators.u16(KEY_RANGE).u16(lowest | highest << 8);
    double release = patch.struck() ? STRUCK_RELEASE_SECONDS : patch.releaseSeconds();
    if (!patch.struck()) {
      generators.u16(ATTACK).u16(timecents(patch.attackSeconds()));
      generators.u16(SAMPLE_MODES).u16(MODE_LOOP);
    }
    generators.u16(RELEASE).u16(timecents(release));
    generators.u16(CUTOFF).u16(cents(patch.cutoffHz()));
    generators.u16(SCALE_TUNING).u16(patch.tuningCents());
    generators.u16(ROOT_KEY).u16(sample.key());
    generators.u16(SAMPLE_ID).u16(sampleCount++);
  }

  private void addSample(Patch patch, PatchSample sample) {
    float[] frames = sample.frames();
    int guard = patch.struck() ? 0 : GUARD;
    int start = samples.size() / 2;
    for (int i = -guard; i < frames.length + guard; i++) {
      float frame = frames[Math.floorMod(i, frames.length)];
      samples.u16(Math.round(frame * Short.MAX_VALUE));
    }
    int end = samples.size() / 2;
    for (int i = 0; i < ZEROS; i++) {
      samples.u16(0);
    }
    headers.name(patch.name() + " " + sample.key());
    headers.u32(start).u32(end).u32(start + guard).u32(start + guard + frames.length);
    headers.u32(sample.rateHz()).u8(sample.key()).u8(0).u16(0).u16(MONO);
  }

  /**
   * The bytes of the file.
   *
   * @param programs the patch of each General MIDI program
   */
  byte[] bytes(List<String> programs) {
    Chunk presets = new Chunk();
    Chunk presetZones = new Chunk();
    Chunk presetGenerators = new Chunk();
    for (int program = 0; program < programs.size(); program++) {
      String patch = programs.get(program);
      presets.name(patch).u16(program).u16(0).u16(program).u32(0).u32(0).u32(0);
      presetZones.u16(program).u16(0);
      presetGenerators.u16(INSTRUMENT).u16(number(patch));
    }
    presets.name("EOP").u16(0).u16(0).u16(programs.size()).u32(0).u32(0).u32(0);
    presetZones.u16(programs.size()).u16(0);
    presetGenerators.u32(0);
    instruments.name("EOI").u16(zoneCount);
    zones.u16(generators.size() / 4).u16(0);
    generators.u32(0);
    headers.name("EOS").u32(0).u32(0).u32(0).u32(0).u32(0).u8(0).u8(0).u16(0).u16(0);
    Chunk pdta = new Chunk().text("pdta");
    pdta.chunk("phdr", presets).chunk("pbag", presetZones).chunk("pmod", terminalModulator());
    pdta.chunk("pgen", presetGenerators).chunk("inst", instruments).chunk("ibag", zones);
    pdta.chunk("imod", terminalModulator()).chunk("igen", generators).chunk("shdr", headers);
    Chunk content = new Chunk().text("sfbk").chunk("LIST", info());
    content.chunk("LIST", new Chunk().text("sdta").chunk("smpl", samples)).chunk("LIST", pdta);
    return new Chunk().chunk("RIFF", content).bytes();
  }

  private int number(String patch) {
    Integer number = numbers.get(patch);
    if (number == null) {
      throw new IllegalArgumentException("a program names the unknown patch " + patch);
    }
    return number;
  }

  private static Chunk info() {
    Chunk info = new Chunk().text("INFO").chunk("ifil", new Chunk().u16(2).u16(1));
    info.chunk("isng", new Chunk().text("EMU8000\0"));
    return info.chunk("INAM", new Chunk().text("Retroscope\0\0"));
  }

  private static Chunk terminalModulator() {
    return new Chunk().u32(0).u32(0).u16(0);
  }

  /** Time as SF2 has it: 1200 per octave, 0 is a second. */
  private static int timecents(double seconds) {
    return (int) Math.round(1200 * Math.log(Math.max(seconds, 0.001)) / Math.log(2));
  }

  /** Frequency as SF2 has it: 1200 per octave above 8.176 Hz, the key 0. */
  private static int cents(double hz) {
    return (int) Math.round(1200 * Math.log(hz / KEY_0_HZ) / Math.log(2));
  }

  /** Little-endian bytes that grow. */
  private static final class Chunk {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    Chunk u8(int value) {
      bytes.write(value);
      return this;
    }

    Chunk u16(int value) {
      return u8(value).u8(value >> 8);
    }

    Chunk u32(int value) {
      return u16(value).u16(value >> 16);
    }

    Chunk text(String ascii) {
      bytes.writeBytes(ascii.getBytes(StandardCharsets.US_ASCII));
      return this;
    }

    Chunk name(String ascii) {
      byte[] name = ascii.getBytes(StandardCharsets.US_ASCII);
      bytes.writeBytes(ByteBuffer.allocate(NAME_BYTES).put(name).array());
      return this;
    }

    Chunk chunk(String id, Chunk content) {
      text(id).u32(content.size());
      bytes.writeBytes(content.bytes());
      return this;
    }

    int size() {
      return bytes.size();
    }

    byte[] bytes() {
      return bytes.toByteArray();
    }
  }
}
