package io.retroscope.cli.sound;

import io.retroscope.cli.file.FileProblem;
import io.retroscope.cli.process.CommandException;
import io.retroscope.cli.process.ExitCode;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.client.ProblemException;
import io.retroscope.rql.client.Session;
import io.retroscope.rql.parser.Reading;
import io.retroscope.sonify.play.MidiFile;
import io.retroscope.sonify.play.WavFile;
import io.retroscope.sonify.score.Score;
import io.retroscope.sonify.score.ScoreComposer;
import io.retroscope.sonify.score.ScoreOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;

/** A writer of scores to files, in the format given by the file name's suffix. */
public final class ScoreFile {
  private ScoreFile() {}

  /** The formats, by the suffix of a file's name. */
  private enum Format {
    MID,
    WAV;

    static Format of(Path file) {
      String name = file.toString().toLowerCase(Locale.ROOT);
      if (name.endsWith(".wav")) {
        return WAV;
      }
      if (name.endsWith(".mid") || name.endsWith(".midi")) {
        return MID;
      }
      throw new CommandException(
          ExitCode.USAGE, file + ": the name must end in .mid, .midi or .wav");
    }
  }

  /**
   * Checks that a file of that name can be written.
   *
   * @throws CommandException if the suffix is unknown
   */
  public static void check(Path file) {
    Format.of(file);
  }

  /** Returns whether a file of that name is a WAV file. */
  static boolean isWav(Path file) {
    return Format.of(file) == Format.WAV;
  }

  /**
   * Writes a score.
   *
   * @return one line that describes the file
   * @throws CommandException if the score is empty, or the file cannot be written
   */
  static String write(Score score, Path file) {
    if (score.notes().isEmpty()) {
      throw new CommandException(
          ExitCode.FAILED, "nothing sounds: no row of a query with PLAY was found");
    }
    Format format = Format.of(file);
    try {
      switch (format) {
        case MID -> MidiFile.write(score, file);
        case WAV -> WavFile.write(score, file);
      }
    } catch (IOException e) {
      throw new CommandException(
          ExitCode.FAILED, "cannot write " + file + ": " + FileProblem.reason(e), e);
    }
    return String.format(
        Locale.ROOT,
        "wrote %s: %s in %.1f s%s%s",
        file,
        score.notes().size() == 1 ? "1 note" : score.notes().size() + " notes",
        score.lengthMicros() / 1e6,
        score.speed() > 1 ? String.format(Locale.ROOT, ", %.3g times faster", score.speed()) : "",
        score.droppedCount() > 0 ? ", " + score.droppedCount() + " left out as too dense" : "");
  }

  /** Writes the sound of one query of the shell. */
  public static String write(Session session, Reading query, Path file, RowSink shell)
      throws IOException {
    ScoreComposer composer = new ScoreComposer(ScoreOptions.DEFAULT);
    try {
      check(file);
      session.run(query, new NoteSink(composer, shell));
      return write(composer.compose(), file);
    } catch (CommandException e) {
      throw new ProblemException(String.valueOf(e.getMessage()));
    }
  }
}
