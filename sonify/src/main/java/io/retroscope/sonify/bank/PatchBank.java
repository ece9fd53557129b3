// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sonify.bank;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.sound.midi.InvalidMidiDataException;
import javax.sound.midi.MidiSystem;
import javax.sound.midi.Soundbank;
import tools.jackson.databind.json.JsonMapper;

/** The twelve patches, and the General MIDI programs mapped to them. Immutable; thread-safe. */
public final class PatchBank {
  /** Resource beside this class that holds the recipes. */
  public static final String RECIPES = "patches.json";

  /** General MIDI has this many programs. */
  public static final int PROGRAM_COUNT = 128;

  private final Map<String, Patch> patches = new LinkedHashMap<>();
  private final List<String> programs;

  private PatchBank(Recipes recipes) {
    recipes.patches.forEach(patch -> patches.put(patch.name(), patch));
    programs = List.copyOf(recipes.generalMidi);
    if (programs.size() != PROGRAM_COUNT || !patches.keySet().containsAll(programs)) {
      throw new IllegalArgumentException("the recipes must map 128 programs to their patches");
    }
  }

  private record Recipes(List<Patch> patches, List<String> generalMidi) {}

  /** The bank of the recipes that come with this module. */
  public static PatchBank standard() {
    return Standard.BANK;
  }

  private static final class Standard {
    static final PatchBank BANK = read();

    private static PatchBank read() {
      return new PatchBank(JsonMapper.shared().readValue(recipes(), Recipes.class));
    }
  }

  /** The recipes as JSON, from which a browser computes the same samples. */
  public static byte[] recipes() {
    try (InputStream in = PatchBank.class.getResourceAsStream(RECIPES)) {
      return in.readAllBytes();
    } catch (IOException e) {
      throw new AssertionError("the recipes are part of this module", e);
    }
  }

  /** The patches, in the order of the recipes. */
  public List<Patch> patches() {
    return List.copyOf(patches.values());
  }

  /** The patch of this name, if there is one. */
  public Optional<Patch> patch(String name) {
    return Optional.ofNullable(patches.get(name));
  }

  /**
   * The patch that a General MIDI program sounds as.
   *
   * @param program 0 to 127
   */
  public Patch ofProgram(int program) {
    return patch(programs.get(program)).orElseThrow();
  }

  /**
   * How long a note sounds after its length.
   *
   * @return microseconds; 0 if there is no such patch
   */
  public long tailMicros(String patch, long lengthMicros) {
    return patch(patch).map(known -> known.tailMicros(lengthMicros)).orElse(0L);
  }

  /** The bank as an SF2 file: all 128 programs, made of the twelve patches. */
  public byte[] soundFont() {
    SoundFontFile file = new SoundFontFile();
    for (Patch patch : patches.values()) {
      file.add(patch, patch.samples().stream().map(at -> PatchSample.of(patch, at)).toList());
    }
    return file.bytes(programs);
  }

  /** The bank, ready for a synthesizer. */
  public Soundbank soundbank() {
    try {
      return MidiSystem.getSoundbank(new ByteArrayInputStream(soundFont()));
    } catch (InvalidMidiDataException | IOException e) {
      throw new AssertionError("the JDK reads SF2 files", e);
    }
  }
}
