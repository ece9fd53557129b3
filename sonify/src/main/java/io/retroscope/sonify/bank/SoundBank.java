// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sonify.bank;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.Supplier;
import javax.sound.midi.InvalidMidiDataException;
import javax.sound.midi.MidiSystem;
import javax.sound.midi.MidiUnavailableException;
import javax.sound.midi.Soundbank;
import javax.sound.midi.Synthesizer;

/**
 * The samples with which a synthesizer plays the patches: our own, those of the JDK, or those of a
 * file. Immutable; thread-safe.
 */
public final class SoundBank {
  /** The name of the JDK's bank. */
  public static final String JDK = "jdk";

  /**
   * The change of loudness with which a patch sounds as loud with the JDK's bank as with ours, in
   * dB. Measured at key 60 and velocity 96 by {@code JdkBankTest}.
   */
  private static final Map<String, Double> JDK_DECIBELS =
      Map.ofEntries(
          Map.entry("wood", -12.2),
          Map.entry("glass", -10.6),
          Map.entry("pluck", -9.3),
          Map.entry("skin", -12.2),
          Map.entry("click", -12.2),
          Map.entry("reed", -10.7),
          Map.entry("flute", -11.1),
          Map.entry("horn", -11.7),
          Map.entry("pad", -11.5),
          Map.entry("sea", 10.5),
          Map.entry("wind", -9.3),
          Map.entry("alarm", -11.5));

  private static final SoundBank OWN = new SoundBank(() -> Own.SAMPLES, Map.of());

  /** Computed at first use. */
  private static final class Own {
    static final Soundbank SAMPLES = PatchBank.standard().soundbank();
  }

  private final Supplier<Soundbank> samples;
  private final Map<String, Double> decibels;

  private SoundBank(Supplier<Soundbank> samples, Map<String, Double> decibels) {
    this.samples = samples;
    this.decibels = decibels;
  }

  /** Our own bank. */
  public static SoundBank own() {
    return OWN;
  }

  /**
   * The bank of this name.
   *
   * @param name {@link #JDK}, or a file in a format that the JDK reads, such as SF2
   * @throws IOException if the file cannot be read, or is no bank
   */
  public static SoundBank named(String name) throws IOException {
    Soundbank samples = name.equals(JDK) ? ofJdk() : read(Path.of(name));
    return new SoundBank(() -> samples, name.equals(JDK) ? JDK_DECIBELS : Map.of());
  }

  private static Soundbank ofJdk() throws IOException {
    try (Synthesizer synthesizer = MidiSystem.getSynthesizer()) {
      Soundbank found = synthesizer.getDefaultSoundbank();
      if (found == null) {
        throw new IOException("this Java has no bank of its own");
      }
      return found;
    } catch (MidiUnavailableException e) {
      throw new IOException("this Java has no synthesizer", e);
    }
  }

  private static Soundbank read(Path file) throws IOException {
    try {
      return MidiSystem.getSoundbank(file.toFile());
    } catch (InvalidMidiDataException e) {
      throw new IOException("not a bank of sounds: only SF2 and DLS files are", e);
    }
  }

  /** The samples. */
  public Soundbank samples() {
    return samples.get();
  }

  /** The change of a patch's loudness, in dB. */
  public double decibels(String patch) {
    return decibels.getOrDefault(patch, 0.0);
  }
}
