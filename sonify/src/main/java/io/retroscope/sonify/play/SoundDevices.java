// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sonify.play;

import io.retroscope.sonify.bank.SoundBank;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import javax.sound.midi.MidiDevice;
import javax.sound.midi.MidiSystem;
import javax.sound.midi.MidiUnavailableException;
import javax.sound.midi.Sequencer;
import javax.sound.midi.Synthesizer;
import javax.sound.sampled.AudioSystem;
import javax.sound.sampled.Line;
import javax.sound.sampled.Mixer;
import javax.sound.sampled.SourceDataLine;

/** The devices of the machine that can sound. */
public final class SoundDevices {
  private SoundDevices() {}

  /** One line for each device: {@code audio} or {@code midi}, and its name. */
  public static List<String> names() {
    List<String> names = new ArrayList<>();
    audio().forEach(info -> names.add("audio  " + info.getName()));
    midi().forEach(device -> names.add("midi   " + device.getDeviceInfo().getName()));
    return names;
  }

  private static List<Mixer.Info> audio() {
    List<Mixer.Info> found = new ArrayList<>();
    for (Mixer.Info info : AudioSystem.getMixerInfo()) {
      if (AudioSystem.getMixer(info).isLineSupported(new Line.Info(SourceDataLine.class))) {
        found.add(info);
      }
    }
    return found;
  }

  private static List<MidiDevice> midi() {
    OfflineSynthesizer.quietPreferences();
    List<MidiDevice> found = new ArrayList<>();
    for (MidiDevice.Info info : MidiSystem.getMidiDeviceInfo()) {
      try {
        MidiDevice device = MidiSystem.getMidiDevice(info);
        boolean software = device instanceof Synthesizer || device instanceof Sequencer;
        if (!software && device.getMaxReceivers() != 0) {
          found.add(device);
        }
      } catch (MidiUnavailableException | RuntimeException e) {
        // In use by another program, or broken: it cannot be chosen.
      }
    }
    return found;
  }

  /**
   * Opens an output.
   *
   * @param name a part of the name of a device, in any case; empty for the machine's sound card
   * @param bank sounds on a sound card
   * @param notice takes a sentence when the sound card is absent, and when it is back
   * @param nanos a stopwatch
   * @return empty if no device has the name
   * @throws IOException if this Java does not give access to its synthesizer
   * @throws MidiUnavailableException if another program has taken the device
   */
  public static Optional<LiveOutput> open(
      Optional<String> name, SoundBank bank, Consumer<String> notice, LongSupplier nanos)
      throws IOException, MidiUnavailableException {
    if (name.isEmpty()) {
      return Optional.of(card(Optional.empty(), notice, bank));
    }
    for (MidiDevice device : midi()) {
      if (matches(device.getDeviceInfo().getName(), name.get())) {
        return Optional.of(MidiOutput.open(device, nanos));
      }
    }
    for (Mixer.Info info : audio()) {
      if (matches(info.getName(), name.get())) {
        return Optional.of(card(Optional.of(info), notice, bank));
      }
    }
    return Optional.empty();
  }

  private static boolean matches(String name, String wanted) {
    return name.toLowerCase(Locale.ROOT).contains(wanted.toLowerCase(Locale.ROOT));
  }

  private static LiveOutput card(
      Optional<Mixer.Info> device, Consumer<String> notice, SoundBank bank) throws IOException {
    LiveSound sound = new LiveSound(bank, new ReopeningSink(() -> LineSink.open(device), notice));
    sound.start();
    return sound;
  }
}
