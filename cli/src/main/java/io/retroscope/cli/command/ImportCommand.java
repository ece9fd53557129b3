// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.command;

import io.retroscope.cli.connection.EventUpload;
import io.retroscope.cli.file.InputException;
import io.retroscope.cli.file.ReasonCollector;
import io.retroscope.cli.option.FileReading;
import io.retroscope.cli.option.InputOptions;
import io.retroscope.cli.option.NodeNameOption;
import io.retroscope.cli.option.ServerOption;
import io.retroscope.cli.print.ImportSummary;
import io.retroscope.cli.process.ExitCode;
import io.retroscope.cli.shiviz.ShivizImport;
import io.retroscope.recordings.file.AscendingStamps;
import io.retroscope.recordings.file.EventFile;
import io.retroscope.recordings.file.EventFileSet;
import io.retroscope.recordings.file.FileRuns;
import io.retroscope.recordings.file.InputSettings;
import io.retroscope.recordings.textlog.TextLogSettings;
import io.retroscope.rql.cut.Incompleteness;
import io.retroscope.rql.json.EventConsumer;
import io.retroscope.rql.json.NdjsonWriter;
import io.retroscope.rql.print.OutputFile;
import io.retroscope.rql.print.ValueText;
import io.retroscope.server.align.AlignmentSettings;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.nio.charset.MalformedInputException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The command that stores events from files, all or none. */
@Command(
    name = "import",
    description = "Send events from files to a log server, or write them to one NDJSON file.",
    footer = {
      "",
      "Examples:",
      "  retroscope import events.ndjson --server http://127.0.0.1:7340",
      "  retroscope import app1.log app2.log --zone Europe/Berlin --to events.ndjson",
      "  retroscope import shiviz.log --to events.ndjson --summary json",
      "  retroscope import a.log b.log --to events.ndjson \\",
      "      --regex '(?<event>.*)\\n(?<host>\\w+) (?<clock>{.*})'"
    })
public final class ImportCommand implements Callable<Integer> {
  /** The longest text file with vector clocks, because such a file is matched as a whole. */
  private static final long MAX_SHIVIZ_BYTES = 256L << 20;

  private static final String SHIVIZ_LOG = "shiviz";

  private static final byte[] GZIP_START = {0x1f, (byte) 0x8b};

  private static final Duration LONGEST_WAIT = Duration.ofSeconds(15);

  @Spec private CommandSpec spec = CommandSpec.create();

  @Mixin private ServerOption server = new ServerOption();

  @Parameters(arity = "1..*", paramLabel = "FILE", description = "The files to read.")
  private List<Path> files = List.of();

  @Option(names = "--format", paramLabel = "NAME", description = "The same as --input-format.")
  private Optional<String> format = Optional.empty();

  @Mixin private InputOptions input = new InputOptions();

  @Mixin private NodeNameOption node = new NodeNameOption();

  @Option(
      names = "--regex",
      paramLabel = "REGEX",
      description =
          "ShiViz: matches one event, with the groups host, clock and event; pt is the reading of"
              + " the host's clock, and other groups become variables (default: the first line of the file if it is one, or else a line with"
              + " host and clock before or after each text).")
  private Optional<String> regex = Optional.empty();

  @Option(
      names = "--delimiter",
      paramLabel = "REGEX",
      description =
          "ShiViz: the separator between two executions; its group trace names the one after it.")
  private Optional<String> delimiter = Optional.empty();

  @Option(
      names = "--log",
      paramLabel = "NAME",
      description =
          "The log to which the events of texts are added (default: shiviz for ShiViz logs, app for"
              + " text logs).")
  private Optional<String> log = Optional.empty();

  @Option(
      names = "--to",
      paramLabel = "OUT.ndjson",
      description = "Write a file instead of sending the events to a server.")
  private Optional<Path> to = Optional.empty();

  @Option(
      names = "--summary",
      paramLabel = "FORMAT",
      defaultValue = "text",
      description = "${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
  private SummaryFormat summary = SummaryFormat.TEXT;

  @Option(
      names = "--no-wait",
      description = "Do not wait until queries of the past have the events.")
  private boolean noWait;

  /** What the files say about themselves, of the events that it concerns. */
  private final List<Incompleteness> reasons = new ArrayList<>();

  /** The formats of the summary. */
  private enum SummaryFormat {
    TEXT,
    JSON;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** Events that can be read twice: first to check all of them, then to store them. */
  private interface Input {
    void forEach(EventConsumer consumer) throws IOException;
  }

  @Override
  public Integer call() throws IOException {
    if (to.isPresent() && server.given()) {
      throw new ParameterException(spec.commandLine(), "--to and --server exclude each other");
    }
    ImportSummary counts = new ImportSummary();
    List<Input> inputs = inputs(counts);
    if (to.isPresent()) {
      writeFile(to.get(), inputs);
    } else {
      upload(inputs);
    }
    for (String warning : counts.warnings()) {
      spec.commandLine().getErr().println("warning: " + ValueText.printable(warning));
    }
    PrintWriter out = spec.commandLine().getOut();
    out.println(summary == SummaryFormat.JSON ? counts.json() : counts.text());
    return ExitCode.OK.number();
  }

  /** Reads and checks everything, before anything is stored. */
  private List<Input> inputs(ImportSummary counts) throws IOException {
    InputSettings settings =
        input.or(format).settings(node.node(), log.orElse(TextLogSettings.DEFAULT_LOG));
    List<Input> inputs = new ArrayList<>();
    List<Path> eventFiles = new ArrayList<>();
    Map<String, String> shivizTexts = new LinkedHashMap<>();
    List<Path> unstamped = new ArrayList<>();
    for (Path file : files) {
      refusePipe(file);
      EventFile.Kind kind =
          regex.isPresent() ? EventFile.Kind.CLOCKS : EventFile.kind(file, settings);
      if (settings.derives(kind)) {
        unstamped.add(file);
      } else {
        switch (kind) {
          case CLOCKS -> shivizTexts.put(file.toString(), text(file));
          case BLOCKS -> {
            eventFiles.add(file);
            inputs.add(consumer -> EventFile.readBlocks(file, consumer));
          }
          case NDJSON -> {
            eventFiles.add(file);
            inputs.add(consumer -> EventFile.readNdjson(file, consumer));
          }
          case SEALED ->
              throw new InputException(
                  file.toString(), "is a file of sealed blocks: export writes it as NDJSON");
          case LOG, DOCUMENT, UNKNOWN -> unstamped.add(file);
        }
      }
    }
    if (!unstamped.isEmpty()) {
      PrintWriter err = spec.commandLine().getErr();
      EventFileSet set = FileReading.of(unstamped, AlignmentSettings.DEFAULT, settings, err);
      inputs.add(set::readAll);
    }
    check(inputs, eventFiles, counts);
    counts.addExecution(inputs.isEmpty() ? 0 : 1);
    if (!shivizTexts.isEmpty()) {
      inputs.add(shiviz(shivizTexts, settings.allowsGaps(), counts));
    }
    return inputs;
  }

  /** Reads all inputs but vector clocks, with what they say about themselves. */
  private void check(List<Input> inputs, List<Path> eventFiles, ImportSummary counts)
      throws IOException {
    AscendingStamps stamps = new AscendingStamps(counts);
    FileRuns runs = new FileRuns();
    for (Input each : inputs) {
      ReasonCollector stated = new ReasonCollector(stamps);
      FileRuns.OneFile file = runs.file(stated);
      each.forEach(file);
      file.end();
      reasons.addAll(stated.reasons());
    }
    if (!runs.overlaps().isEmpty()) {
      inputs.add(nameOverlaps(runs.overlaps(), counts));
    }
    if (!stamps.ascend() && !eventFiles.isEmpty()) {
      FileReading.refuseClashes(eventFiles);
    }
  }

  /** Adds overlapping runs of a node in several files to the reasons of the files. */
  private Input nameOverlaps(List<Incompleteness> overlaps, ImportSummary counts) {
    reasons.addAll(overlaps);
    overlaps.forEach(counts::incomplete);
    return consumer -> {
      for (Incompleteness overlap : overlaps) {
        consumer.incomplete(overlap);
      }
    };
  }

  private Input shiviz(Map<String, String> texts, boolean allowsGaps, ImportSummary counts) {
    ShivizImport.Form form =
        new ShivizImport.Form(log.orElse(SHIVIZ_LOG), regex, delimiter, allowsGaps);
    ShivizImport.Result found = ShivizImport.read(texts, form);
    counts.add(found);
    return found::give;
  }

  /**
   * Refuses a pipe, because every file is checked before anything is stored, and then read again.
   */
  private static void refusePipe(Path file) {
    boolean standardInput = file.toString().equals("-") && !Files.exists(file);
    boolean special = Files.exists(file) && !Files.isRegularFile(file) && !Files.isDirectory(file);
    if (standardInput || special) {
      throw new InputException(
          file.toString(), "import reads its input twice: write it into a file first");
    }
  }

  private static String text(Path file) throws IOException {
    if (Files.size(file) > MAX_SHIVIZ_BYTES) {
      throw new InputException(
          file.toString(), "has more than " + (MAX_SHIVIZ_BYTES >> 20) + " MiB");
    }
    try {
      return Files.readString(file, StandardCharsets.UTF_8);
    } catch (MalformedInputException e) {
      throw new InputException(
          file.toString(),
          isCompressed(file) ? "is compressed: gunzip it first" : "is not valid UTF-8");
    }
  }

  private static boolean isCompressed(Path file) throws IOException {
    try (InputStream in = Files.newInputStream(file)) {
      return Arrays.equals(in.readNBytes(GZIP_START.length), GZIP_START);
    }
  }

  private static void writeFile(Path file, List<Input> inputs) throws IOException {
    OutputFile.replaceText(
        file,
        out -> {
          EventConsumer output = new NdjsonWriter(out);
          for (Input input : inputs) {
            input.forEach(output);
          }
        });
  }

  private void awaitQueryable(EventUpload upload) {
    try {
      if (!noWait && !upload.awaitQueryable(LONGEST_WAIT)) {
        spec.commandLine()
            .getErr()
            .println("warning: the server still waits for other events of these nodes");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void upload(List<Input> inputs) throws IOException {
    EventUpload upload = new EventUpload(server.client());
    reasons.forEach(upload::declare);
    for (Input input : inputs) {
      upload.beginInput();
      input.forEach(upload);
    }
    upload.finish();
    awaitQueryable(upload);
    if (upload.duplicateCount() > 0) {
      spec.commandLine()
          .getErr()
          .println(upload.duplicateCount() + " events were there already and were skipped");
    }
  }
}
