// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.command;

import io.retroscope.cli.option.BankOption;
import io.retroscope.cli.option.DurationConverter;
import io.retroscope.cli.option.QueryTarget;
import io.retroscope.cli.option.StatementSource;
import io.retroscope.cli.process.CommandException;
import io.retroscope.cli.process.ExitCode;
import io.retroscope.cli.sound.PastSound;
import io.retroscope.cli.sound.ShellSound;
import io.retroscope.cli.sound.SoundFormat;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.client.Session;
import io.retroscope.rql.print.ValueText;
import io.retroscope.sonify.bank.SoundBank;
import io.retroscope.sonify.rule.Tempo;
import io.retroscope.sonify.session.PastPlayer;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The command that writes the sound of queries to files. */
@Command(
    name = "render",
    description =
        "Write the sound of queries with PLAY over stored events to a file, without a sound card.",
    footer = {
      "",
      "Examples:",
      "  retroscope render staleness.rql events.ndjson --to staleness.wav --real-time",
      "  retroscope render --file events.ndjson --to staleness.wav \\",
      "      'SELECT r1 FROM setd WHEN SPREAD(r1) >= 2 PLAY woodblock NOTE 60 + 2 * SPREAD(r1)'"
    })
public final class RenderCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Mixin private StatementSource source = new StatementSource();

  @Mixin private QueryTarget target = new QueryTarget();

  @Option(
      names = "--to",
      required = true,
      paramLabel = "OUT.wav|OUT.mid|OUT.png",
      description =
          "The file to write: sound, notes, or a picture of its pitches; may be repeated.")
  private List<Path> files = List.of();

  @Option(
      names = "--speed",
      paramLabel = "N",
      description = "Play it this many times faster than recorded (default: 1).")
  private double speed = 1;

  @Option(names = "--real-time", description = "Keep the times as recorded, with all silences.")
  private boolean realTime;

  @Option(
      names = "--max-silence",
      paramLabel = "DURATION",
      converter = DurationConverter.class,
      description = "Shorten longer silences to this, unless a background sounds (default: 2s).")
  private Duration maxSilence = ShellSound.MAX_SILENCE;

  @Option(
      names = "--max-length",
      paramLabel = "DURATION",
      converter = DurationConverter.class,
      description = "Play the whole faster if it would be longer than this (default: 5m).")
  private Duration maxLength = ShellSound.MAX_LENGTH;

  @Option(
      names = "--from",
      paramLabel = "TIME",
      description = "Begin at this time: an instant like 2026-11-21T10:00:00Z, or a stamp.")
  private Optional<String> from = Optional.empty();

  @Option(names = "--until", paramLabel = "TIME", description = "End at this time.")
  private Optional<String> until = Optional.empty();

  @Option(
      names = "--bits",
      paramLabel = "16|24",
      description = "The bits of each sample of a WAV file (default: ${DEFAULT-VALUE}).")
  private int bits = 16;

  @Option(names = "--heartbeat", description = "Add a click every 30 s.")
  private boolean heartbeat;

  @Option(names = "--lines", description = "Print a line of text for each sound.")
  private boolean lines;

  @Option(names = "--notes", description = "Print each sound as an object of JSON.")
  private boolean notes;

  @Mixin private BankOption bank = new BankOption();

  @Override
  public Integer call() throws IOException {
    files.forEach(SoundFormat::of);
    if (bits != 16 && bits != 24) {
      throw new CommandException(ExitCode.USAGE, "--bits is 16 or 24");
    }
    SoundBank samples = bank.bank();
    PrintWriter out = spec.commandLine().getOut();
    PastSound sound;
    try (Session session = target.open(source.events(), spec.commandLine().getErr())) {
      sound =
          PastSound.of(
              session, source.queries(false), player(), new Warnings(spec.commandLine().getErr()));
    }
    if (lines) {
      sound.lines().forEach(out::println);
    }
    if (notes) {
      sound.notes().forEach(out::println);
    }
    for (Path file : files) {
      out.println(sound.write(file, bits, samples));
    }
    return ExitCode.OK.number();
  }

  private PastPlayer player() {
    return new PastPlayer(tempo(), heartbeat, stampMicros(from), stampMicros(until));
  }

  private Tempo tempo() {
    try {
      return realTime
          ? Tempo.REAL_TIME.withSpeed(speed)
          : new Tempo(speed, micros(maxSilence), micros(maxLength));
    } catch (IllegalArgumentException e) {
      throw new CommandException(ExitCode.USAGE, String.valueOf(e.getMessage()), e);
    }
  }

  private static long micros(Duration duration) {
    return duration.toNanos() / 1_000;
  }

  private static OptionalLong stampMicros(Optional<String> time) {
    if (time.isEmpty()) {
      return OptionalLong.empty();
    }
    try {
      return OptionalLong.of(
          time.get().contains("T")
              ? ChronoUnit.MICROS.between(
                  Instant.EPOCH, OffsetDateTime.parse(time.get()).toInstant())
              : HlcTimestamp.micros(HlcTimestamp.parse(time.get())));
    } catch (DateTimeException | IllegalArgumentException e) {
      throw new CommandException(
          ExitCode.USAGE,
          "not a time: \"" + time.get() + "\" (like 2026-11-21T10:00:00Z or 1795200000000000.0)",
          e);
    }
  }

  private record Warnings(PrintWriter err) implements RowSink {
    @Override
    public void columns(List<Column> columns) {}

    @Override
    public boolean row(Row row) {
      return true;
    }

    @Override
    public void warning(String message) {
      err.println("warning: " + ValueText.printable(message));
    }
  }
}
