// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.stage;

import io.retroscope.recordings.file.EventFileSet;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.client.LocalSession;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.evaluation.QueryLimits;
import io.retroscope.rql.parser.RqlParser;
import io.retroscope.sonify.bank.PatchBank;
import io.retroscope.sonify.bank.SoundBank;
import io.retroscope.sonify.play.Performance;
import io.retroscope.sonify.play.PerformanceFile;
import io.retroscope.sonify.rule.PastSoundscape;
import io.retroscope.sonify.rule.SoundscapeRules;
import io.retroscope.sonify.rule.Tempo;
import io.retroscope.sonify.session.PastPlayer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** The sound of a demonstration's events as files. */
public final class SoundFiles {
  private static final Tempo TEMPO = new Tempo(1, Long.MAX_VALUE, 300_000_000);

  private SoundFiles() {}

  /**
   * Writes the sound of events at their real times as {@code NAME.wav} and {@code NAME.mid}.
   *
   * @param statements the rules, without STREAM
   * @param events a file of events
   * @return the notes, and how many were left out
   */
  public static PastSoundscape.Played write(
      String statements, Path events, Path folder, String name) throws IOException {
    PastSoundscape.Played played = play(statements, events);
    Performance performance = played.performance();
    PerformanceFile.writeWav(performance, SoundBank.own(), 16, folder.resolve(name + ".wav"));
    PerformanceFile.writeMidi(performance, folder.resolve(name + ".mid"));
    return played;
  }

  private static PastSoundscape.Played play(String statements, Path events) throws IOException {
    try (LocalSession session =
        EventFileSet.of(events, all -> ClockOffsets.UNKNOWN).session(QueryLimits.DEFAULT)) {
      return PastPlayer.at(TEMPO).play(session, rules(statements), new Quiet());
    }
  }

  /** The rules, for live rows. */
  static SoundscapeRules liveRules(String statements) {
    return rules(statements.replace("SELECT ", "SELECT STREAM "));
  }

  private static SoundscapeRules rules(String statements) {
    return SoundscapeRules.of(new RqlParser().parseScript(statements), PatchBank.standard());
  }

  /** A sink that needs neither rows nor warnings: the demonstration's question prints both. */
  static class Quiet implements RowSink {
    @Override
    public void columns(List<Column> columns) {}

    @Override
    public boolean row(Row row) {
      return true;
    }

    @Override
    public void warning(String message) {}
  }
}
