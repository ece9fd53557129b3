// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.command;

import io.retroscope.cli.process.ExitCode;
import io.retroscope.recordings.file.ConvertedCopies;
import io.retroscope.recordings.file.ConvertedCopies.Copy;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command for the converted copies of large files of events. */
@Command(
    name = "cache",
    description = {
      "Show or remove the converted copies of large files of events.",
      "A command that reads a large file keeps a copy that later commands open at once, in",
      "$XDG_CACHE_HOME/retroscope or else ~/.cache/retroscope, up to 10 GB; the one that was not",
      "used for longest is removed first."
    },
    footer = {"", "Examples:", "  retroscope cache list", "  retroscope cache clear"})
public final class CacheCommand implements Runnable {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "an action is missing");
  }

  @Command(
      name = "list",
      description = "Show the copies, with size and last use.",
      footer = {"", "Example:", "  retroscope cache list"})
  int list() throws IOException {
    ConvertedCopies copies = copies();
    List<Copy> found = copies.copies();
    for (Copy copy : found) {
      out()
          .printf(
              Locale.ROOT,
              "%,15d bytes, last used %s: %s%n",
              copy.bytes(),
              copy.lastUse().truncatedTo(ChronoUnit.SECONDS),
              copy.file());
    }
    out().println(sum(found) + " in " + copies.folder());
    return ExitCode.OK.number();
  }

  @Command(
      name = "clear",
      description = "Remove all copies; the next use of a file makes a new one.",
      footer = {"", "Example:", "  retroscope cache clear"})
  int clear() throws IOException {
    ConvertedCopies copies = copies();
    out().println("removed " + sum(copies.clear()) + " from " + copies.folder());
    return ExitCode.OK.number();
  }

  private static ConvertedCopies copies() {
    return ConvertedCopies.ofUser(System.getenv());
  }

  private static String sum(List<Copy> copies) {
    long bytes = copies.stream().mapToLong(Copy::bytes).sum();
    String noun = copies.size() == 1 ? "copy" : "copies";
    return String.format(Locale.ROOT, "%d %s of %,d bytes", copies.size(), noun, bytes);
  }

  private PrintWriter out() {
    return spec.commandLine().getOut();
  }
}
