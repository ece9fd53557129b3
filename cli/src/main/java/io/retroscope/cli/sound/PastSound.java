package io.retroscope.cli.sound;

import io.retroscope.cli.file.FileProblem;
import io.retroscope.cli.process.CommandException;
import io.retroscope.cli.process.ExitCode;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.ast.Statement.Query;
import io.retroscope.rql.client.Session;
import io.retroscope.rql.print.ValueText;
import io.retroscope.sonify.bank.PatchBank;
import io.retroscope.sonify.play.PerformanceFile;
import io.retroscope.sonify.rule.PastSoundscape;
import io.retroscope.sonify.rule.Rule;
import io.retroscope.sonify.rule.RuleRows;
import io.retroscope.sonify.rule.SoundscapeRules;
import io.retroscope.sonify.rule.Tempo;
import io.retroscope.sonify.soundscape.Origin;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;

/** The sound of statements over stored events, and its files. Used by one thread. */
public final class PastSound {
  private final PastSoundscape.Played played;

  private PastSound(PastSoundscape.Played played) {
    this.played = played;
  }

  /**
   * The choices of the listener.
   *
   * @param speed how many times faster than recorded
   * @param realTime whether silences are kept, whatever the length
   * @param maxSilenceMicros the length to which longer silences are cut
   * @param maxLengthMicros the length beyond which it runs faster
   * @param fromMicros the stamp at which it begins; empty for the first cut
   * @param untilMicros the stamp at which it ends; empty for the last cut
   */
  public record Options(
      double speed,
      boolean realTime,
      boolean heartbeat,
      long maxSilenceMicros,
      long maxLengthMicros,
      OptionalLong fromMicros,
      OptionalLong untilMicros) {
    Tempo tempo() {
      try {
        return realTime
            ? Tempo.REAL_TIME.withSpeed(speed)
            : new Tempo(speed, maxSilenceMicros, maxLengthMicros);
      } catch (IllegalArgumentException e) {
        throw new CommandException(ExitCode.USAGE, String.valueOf(e.getMessage()), e);
      }
    }
  }

  /**
   * Runs statements and plays their sound.
   *
   * @throws CommandException if nothing sounds, an option is out of its range, or an instrument is
   *     unknown
   * @throws io.retroscope.rql.diagnostic.RqlException if a statement is wrong or failed
   */
  public static PastSound of(
      Session session, List<Query> statements, Options options, PrintWriter err)
      throws IOException {
    PatchBank bank = PatchBank.standard();
    Tempo tempo = options.tempo();
    SoundscapeRules rules = SoundscapeListener.rules(statements);
    PastSoundscape soundscape =
        new PastSoundscape(
            rules,
            options.heartbeat(),
            session.catalog().nodeNames(),
            tempo,
            note ->
                bank.patch(note.patch())
                    .map(patch -> patch.tailMicros(note.lengthMicros()))
                    .orElse(0L));
    soundscape.limit(options.fromMicros(), options.untilMicros());
    for (Rule rule : rules.rules()) {
      if (rule.kind() != Rule.Kind.ROWS) {
        session.run("EXPLAIN " + rule.statement(), new CheckSink());
      }
      session.run(rule.query(), new Rows(new RuleRows(rule), soundscape, err));
    }
    PastSoundscape.Played played = soundscape.play();
    if (played.performance().notes().isEmpty()) {
      throw new CommandException(
          ExitCode.FAILED, "nothing sounds: no row of a query with PLAY was found");
    }
    return new PastSound(played);
  }

  private record Rows(RuleRows rows, PastSoundscape soundscape, PrintWriter err)
      implements RowSink {
    @Override
    public void columns(List<Column> columns) {
      rows.columns(columns);
    }

    @Override
    public boolean row(Row row) {
      try {
        rows.row(row, Origin.LIVE, soundscape::add);
      } catch (IllegalArgumentException | IllegalStateException e) {
        throw new CommandException(ExitCode.STATEMENT_FAILED, String.valueOf(e.getMessage()), e);
      }
      return true;
    }

    @Override
    public void warning(String message) {
      err.println("warning: " + ValueText.printable(message));
    }
  }

  /**
   * Writes a file, in the format given by its suffix.
   *
   * @param bits of a WAV file's samples, 16 or 24
   * @return one line that describes the file
   * @throws CommandException if it cannot be written
   */
  public String write(Path file, int bits) {
    PatchBank bank = PatchBank.standard();
    try {
      if (ScoreFile.isWav(file)) {
        PerformanceFile.writeWav(played.performance(), bank, bank.soundbank(), bits, file);
      } else {
        PerformanceFile.writeMidi(played.performance(), bank, file);
      }
    } catch (IOException e) {
      throw new CommandException(
          ExitCode.FAILED, "cannot write " + file + ": " + FileProblem.reason(e), e);
    }
    long count = PastSoundscape.noteCount(played.performance());
    return String.format(
        Locale.ROOT,
        "wrote %s: %s in %.1f s%s%s",
        file,
        count == 1 ? "1 note" : count + " notes",
        PastSoundscape.soundingMicros(played.performance()) / 1e6,
        played.speed() > 1 ? String.format(Locale.ROOT, ", %.3g times faster", played.speed()) : "",
        played.dropped().isEmpty() ? "" : ", left out as too many: " + dropped());
  }

  private String dropped() {
    StringBuilder text = new StringBuilder();
    played
        .dropped()
        .forEach(
            (rule, count) ->
                text.append(text.isEmpty() ? "" : ", ").append(count).append(" of ").append(rule));
    return text.toString();
  }

  /** The line of each sound, in their order. */
  public List<String> lines() {
    return played.performance().notes().stream()
        .flatMap(note -> NoteLine.of(note).stream())
        .toList();
  }
}
