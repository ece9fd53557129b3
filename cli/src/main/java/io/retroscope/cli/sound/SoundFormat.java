// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.sound;

import io.retroscope.cli.process.CommandException;
import io.retroscope.cli.process.ExitCode;
import java.nio.file.Path;
import java.util.Locale;

/** The format of a file of sound. */
public enum SoundFormat {
  /** A Standard MIDI File. */
  MIDI,
  /** Samples. */
  WAV,
  /** A picture of the frequencies over time. */
  PICTURE;

  /**
   * The format of a file, by the suffix of its name.
   *
   * @throws CommandException if the suffix is unknown
   */
  public static SoundFormat of(Path file) {
    String name = file.toString().toLowerCase(Locale.ROOT);
    if (name.endsWith(".wav")) {
      return WAV;
    }
    if (name.endsWith(".mid") || name.endsWith(".midi")) {
      return MIDI;
    }
    if (name.endsWith(".png")) {
      return PICTURE;
    }
    throw new CommandException(
        ExitCode.USAGE, file + ": the name must end in .wav, .mid, .midi or .png");
  }
}
