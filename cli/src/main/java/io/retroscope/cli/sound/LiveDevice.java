// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.sound;

import io.retroscope.cli.process.CommandException;
import io.retroscope.cli.process.ExitCode;
import io.retroscope.sonify.bank.SoundBank;
import io.retroscope.sonify.play.LiveOutput;
import io.retroscope.sonify.play.SoundDevices;
import io.retroscope.sonify.soundscape.NoteEvent;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import javax.sound.midi.MidiUnavailableException;

/** The device of the machine on which a command sounds. */
public final class LiveDevice {
  private static final String NONE =
      "no live sound: this machine has no audio line and no MIDI output";

  private LiveDevice() {}

  /** One line for each device that can sound. */
  public static List<String> names() {
    List<String> names = SoundDevices.names();
    return names.isEmpty() ? List.of(NONE) : names;
  }

  /**
   * Opens a device; one that cannot be opened is silent.
   *
   * @param name a part of its name; empty for the sound card
   * @param notice takes a sentence if it is silent
   * @throws CommandException if no device has the name
   */
  public static LiveOutput open(
      Optional<String> name, SoundBank bank, Consumer<String> notice, LongSupplier nanos) {
    try {
      return SoundDevices.open(name, bank, notice, nanos)
          .orElseThrow(
              () ->
                  new CommandException(
                      ExitCode.USAGE,
                      "no device is named " + name.orElse("") + ": see --list-devices"));
    } catch (IOException | MidiUnavailableException e) {
      notice.accept("no live sound: " + e.getMessage());
      return new Silent();
    }
  }

  private static final class Silent implements LiveOutput {
    @Override
    public void now(NoteEvent note) {}

    @Override
    public void advance() {}

    @Override
    public void close() {}
  }
}
