package io.retroscope.cli.command;

import io.retroscope.cli.option.DurationConverter;
import io.retroscope.cli.option.QueryTarget;
import io.retroscope.cli.option.StatementSource;
import io.retroscope.cli.process.ExitCode;
import io.retroscope.cli.sound.Recording;
import io.retroscope.cli.sound.ScoreFile;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.client.Session;
import io.retroscope.rql.print.ValueText;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
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
        "Write the sound of queries with PLAY to a .mid or .wav file, without a sound card.",
    footer = {
      "",
      "Example:",
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
      paramLabel = "OUT.wav|OUT.mid",
      description = "The file to write; may be repeated.")
  private List<Path> files = List.of();

  @Option(
      names = "--speed",
      paramLabel = "N",
      description = "The speed relative to the recorded time (default: 1).")
  private Optional<Double> speed = Optional.empty();

  @Option(
      names = "--max-silence",
      paramLabel = "DURATION",
      converter = DurationConverter.class,
      description = "The maximum length of a silence; longer ones are shortened (default: 2s).")
  private Optional<Duration> maxSilence = Optional.empty();

  @Option(
      names = "--max-length",
      paramLabel = "DURATION",
      converter = DurationConverter.class,
      description =
          "The maximum length of the result, which is reached by a higher speed (default: 5m).")
  private Optional<Duration> maxLength = Optional.empty();

  @Override
  public Integer call() throws IOException {
    files.forEach(ScoreFile::check);
    Recording recording = Recording.with(speed, maxSilence, maxLength);
    List<String> queries = source.queries(false);
    try (Session session = target.open()) {
      for (String query : queries) {
        QueryTarget.run(session, query, recording.sink(new WarningSink()));
      }
    }
    PrintWriter out = spec.commandLine().getOut();
    for (Path file : files) {
      out.println(recording.write(file));
    }
    return ExitCode.OK.number();
  }

  /** A sink that passes on only warnings. */
  private final class WarningSink implements RowSink {
    @Override
    public void columns(List<Column> columns) {}

    @Override
    public boolean row(Row row) {
      return true;
    }

    @Override
    public void warning(String message) {
      spec.commandLine().getErr().println("warning: " + ValueText.printable(message));
    }
  }
}
