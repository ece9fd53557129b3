// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.sound;

import io.retroscope.cli.file.FileProblem;
import io.retroscope.cli.process.CommandException;
import io.retroscope.cli.process.ExitCode;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.ast.Statement.Query;
import io.retroscope.rql.client.Session;
import io.retroscope.sonify.bank.SoundBank;
import io.retroscope.sonify.play.PerformanceFile;
import io.retroscope.sonify.play.SpectrumPicture;
import io.retroscope.sonify.rule.NoteJson;
import io.retroscope.sonify.rule.PastSoundscape;
import io.retroscope.sonify.session.PastPlayer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/** The sound of statements over stored events, and its files. Used by one thread. */
public final class PastSound {
  private final PastSoundscape.Played played;

  private PastSound(PastSoundscape.Played played) {
    this.played = played;
  }

  /**
   * Runs statements and plays their sound.
   *
   * @param rest takes warnings and progress, and can cancel the queries
   * @throws CommandException if nothing sounds, or an instrument is unknown
   * @throws io.retroscope.rql.diagnostic.RqlException if a statement is wrong or failed
   */
  public static PastSound of(
      Session session, List<Query> statements, PastPlayer player, RowSink rest) throws IOException {
    PastSoundscape.Played played;
    try {
      played = player.play(session, SoundscapeListener.rules(statements), rest);
    } catch (IllegalArgumentException | IllegalStateException e) {
      throw new CommandException(ExitCode.STATEMENT_FAILED, String.valueOf(e.getMessage()), e);
    }
    if (played.performance().notes().isEmpty()) {
      throw new CommandException(
          ExitCode.FAILED, "nothing sounds: no row of a query with PLAY was found");
    }
    return new PastSound(played);
  }

  /**
   * Writes a file, in the format given by its suffix.
   *
   * @param bits of a WAV file's samples, 16 or 24
   * @param bank sounds in it, unless it is a MIDI file
   * @return one line that describes the file
   * @throws CommandException if it cannot be written
   */
  public String write(Path file, int bits, SoundBank bank) {
    try {
      switch (SoundFormat.of(file)) {
        case WAV -> PerformanceFile.writeWav(played.performance(), bank, bits, file);
        case PICTURE -> SpectrumPicture.write(played.performance(), bank, file);
        case MIDI -> PerformanceFile.writeMidi(played.performance(), file);
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

  /** The line of text of each sound, in their order. */
  public List<String> lines() {
    NoteLines lines = new NoteLines(false);
    return played.performance().notes().stream().flatMap(note -> lines.of(note).stream()).toList();
  }

  /** Each note as an object of JSON, in their order. */
  public List<String> notes() {
    return played.performance().notes().stream().map(NoteJson::text).toList();
  }
}
