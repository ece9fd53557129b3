// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.option;

import io.retroscope.cli.file.FileProblem;
import io.retroscope.cli.process.CommandException;
import io.retroscope.cli.process.ExitCode;
import io.retroscope.sonify.bank.SoundBank;
import java.io.IOException;
import picocli.CommandLine.Option;

/** The bank of samples that sounds. */
public final class BankOption {
  @Option(
      names = "--bank",
      paramLabel = "FILE.sf2|jdk",
      description =
          "Play the patches with the samples of this file, or of the JDK, by their General MIDI"
              + " programs (default: our own).")
  private String name = "";

  /**
   * The bank.
   *
   * @throws CommandException if it cannot be read
   */
  public SoundBank bank() {
    if (name.isEmpty()) {
      return SoundBank.own();
    }
    try {
      return SoundBank.named(name);
    } catch (IOException e) {
      throw new CommandException(
          ExitCode.FAILED, "cannot read the bank " + name + ": " + FileProblem.reason(e), e);
    }
  }
}
