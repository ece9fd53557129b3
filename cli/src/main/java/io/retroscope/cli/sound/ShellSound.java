// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.sound;

import io.retroscope.cli.process.CommandException;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.ast.Statement.Query;
import io.retroscope.rql.client.ProblemException;
import io.retroscope.rql.client.Session;
import io.retroscope.rql.parser.ParsedStatement;
import io.retroscope.sonify.bank.SoundBank;
import io.retroscope.sonify.rule.Tempo;
import io.retroscope.sonify.session.PastPlayer;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** A writer of the sound of one statement of the shell, over the stored events. */
public final class ShellSound {
  /** Silences beyond this length are cut, if there is no background. */
  public static final Duration MAX_SILENCE = Duration.ofSeconds(2);

  /** A longer sound is played faster. */
  public static final Duration MAX_LENGTH = Duration.ofMinutes(5);

  private static final int BITS = 16;

  private ShellSound() {}

  /**
   * Writes a file.
   *
   * @param shell takes warnings and progress, and can cancel the query
   * @return one line that describes the file
   * @throws ProblemException if nothing sounds, or the name of the file or an instrument is wrong
   */
  public static String write(Session session, ParsedStatement statement, Path file, RowSink shell)
      throws IOException {
    Optional<Query> query = statement.query();
    if (!statement.problems().isEmpty()) {
      session.run(statement, shell); // reports them
    }
    Tempo tempo = new Tempo(1, MAX_SILENCE.toNanos() / 1_000, MAX_LENGTH.toNanos() / 1_000);
    try {
      SoundFormat.of(file);
      List<Query> past = query.stream().map(found -> found.asStream(false)).toList();
      return PastSound.of(session, past, PastPlayer.at(tempo), shell)
          .write(file, BITS, SoundBank.own());
    } catch (CommandException e) {
      throw new ProblemException(String.valueOf(e.getMessage()));
    }
  }
}
