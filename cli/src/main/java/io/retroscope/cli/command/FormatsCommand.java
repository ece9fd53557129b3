// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.command;

import io.retroscope.cli.option.InputOptions;
import io.retroscope.cli.process.CommandException;
import io.retroscope.cli.process.ExitCode;
import io.retroscope.recordings.document.DocumentFormat;
import io.retroscope.recordings.file.FileExplanation;
import io.retroscope.recordings.file.InputSettings;
import io.retroscope.recordings.textlog.LineFormat;
import io.retroscope.recordings.textlog.TextLogSettings;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The command that lists the formats of files, and explains how a file is read. */
@Command(
    name = "formats",
    description = "List the formats of files, or explain how a file is read.",
    footer = {
      "",
      "Examples:",
      "  retroscope formats",
      "  retroscope formats --explain app.log --zone Europe/Berlin"
    })
public final class FormatsCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Mixin private InputOptions input = new InputOptions();

  @Option(
      names = "--explain",
      paramLabel = "FILE",
      description = "Print what becomes of the parts of the first ten lines of a file.")
  private Optional<Path> explained = Optional.empty();

  @Override
  public Integer call() throws IOException {
    InputSettings settings = input.settings(Optional.empty(), TextLogSettings.DEFAULT_LOG);
    PrintWriter out = spec.commandLine().getOut();
    if (explained.isPresent()) {
      Path file = explained.get();
      if (!Files.isRegularFile(file)) {
        throw new CommandException(ExitCode.USAGE, file + ": is no file");
      }
      FileExplanation.lines(file, settings).forEach(out::println);
    } else {
      list(settings.texts(), out);
    }
    out.flush();
    return ExitCode.OK.number();
  }

  private static void list(TextLogSettings settings, PrintWriter out) {
    out.println("ndjson: events of Retroscope, one JSON object per line");
    out.println("retroscope: blocks and sealed blocks of Retroscope");
    out.println("shiviz: texts with vector clocks");
    for (DocumentFormat format : DocumentFormat.values()) {
      out.printf("%s: %s%n    %s%n", format.option(), format.title(), format.sample());
    }
    for (LineFormat format : settings.catalog().all()) {
      out.printf("%s: %s (%s)%n", format.name(), format.title(), format.kind());
      format.samples().forEach(sample -> out.println("    " + sample));
    }
  }
}
