package io.retroscope.cli.sound;

import io.retroscope.cli.process.CommandException;
import io.retroscope.cli.process.ExitCode;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.sonify.score.ScoreComposer;
import io.retroscope.sonify.score.ScoreOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/** The notes of queries on their way to files. Used by one thread. */
public final class Recording {
  private final ScoreComposer composer;

  private Recording(ScoreOptions options) {
    composer = new ScoreComposer(options);
  }

  /**
   * Creates a recording without notes; empty options have the usual values.
   *
   * @param speed how many times faster than recorded
   * @param maxSilence the length to which longer silences are cut
   * @param maxLength the length beyond which it runs faster
   * @throws CommandException if an option is out of its range
   */
  public static Recording with(
      Optional<Double> speed, Optional<Duration> maxSilence, Optional<Duration> maxLength) {
    try {
      ScoreOptions options = ScoreOptions.DEFAULT;
      options = speed.map(options::withSpeed).orElse(options);
      options = maxSilence.map(options::withMaxSilence).orElse(options);
      return new Recording(maxLength.map(options::withMaxLength).orElse(options));
    } catch (IllegalArgumentException e) {
      throw new CommandException(ExitCode.USAGE, String.valueOf(e.getMessage()), e);
    }
  }

  /** A sink that records the notes of rows, and passes everything except the rows on. */
  public RowSink sink(RowSink rest) {
    return new NoteSink(composer, rest);
  }

  /**
   * Writes the notes so far to a file.
   *
   * @return one line that describes the file
   * @throws CommandException if there are none, or the file cannot be written
   */
  public String write(Path file) {
    return ScoreFile.write(composer.compose(), file);
  }
}
