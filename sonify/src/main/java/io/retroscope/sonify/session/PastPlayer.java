// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sonify.session;

import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.client.Session;
import io.retroscope.sonify.bank.PatchBank;
import io.retroscope.sonify.rule.PastSoundscape;
import io.retroscope.sonify.rule.Rule;
import io.retroscope.sonify.rule.RuleRows;
import io.retroscope.sonify.rule.SoundscapeRules;
import io.retroscope.sonify.rule.Tempo;
import io.retroscope.sonify.soundscape.Origin;
import java.io.IOException;
import java.util.List;
import java.util.OptionalLong;

/**
 * The sound of rules over stored events. Immutable.
 *
 * @param heartbeat whether a click shows every 30 s that all is well
 * @param fromMicros the stamp at which it begins; empty for the first cut
 * @param untilMicros the stamp at which it ends; empty for the last cut
 */
public record PastPlayer(
    Tempo tempo, boolean heartbeat, OptionalLong fromMicros, OptionalLong untilMicros) {
  /** Everything, at this tempo. */
  public static PastPlayer at(Tempo tempo) {
    return new PastPlayer(tempo, false, OptionalLong.empty(), OptionalLong.empty());
  }

  /**
   * Runs the query of each rule and plays its rows.
   *
   * @param rest takes warnings and progress, and can cancel the queries
   * @throws io.retroscope.rql.diagnostic.RqlException if a statement is wrong, or failed
   * @throws IllegalArgumentException if the value of a level or a background is not a number
   * @throws IllegalStateException if there are too many cuts
   * @throws IOException if the server cannot be reached
   */
  public PastSoundscape.Played play(Session session, SoundscapeRules rules, RowSink rest)
      throws IOException {
    PatchBank bank = PatchBank.standard();
    PastSoundscape soundscape =
        new PastSoundscape(
            rules,
            heartbeat,
            session.catalog().nodeNames(),
            tempo,
            note -> bank.tailMicros(note.patch(), note.lengthMicros()));
    soundscape.limit(fromMicros, untilMicros);
    for (Rule rule : rules.rules()) {
      CheckSink.check(session, rule);
      session.run(rule.query(), new Rows(new RuleRows(rule), soundscape, rest));
    }
    return soundscape.play();
  }

  private record Rows(RuleRows rows, PastSoundscape soundscape, RowSink rest) implements RowSink {
    @Override
    public void columns(List<Column> columns) {
      rows.columns(columns);
    }

    @Override
    public boolean row(Row row) {
      rows.row(row, Origin.LIVE, soundscape::add);
      return true;
    }

    @Override
    public void warning(String message) {
      rest.warning(message);
    }

    @Override
    public void progress(long cuts, long hlc) {
      rest.progress(cuts, hlc);
    }

    @Override
    public boolean cancelled() {
      return rest.cancelled();
    }
  }
}
