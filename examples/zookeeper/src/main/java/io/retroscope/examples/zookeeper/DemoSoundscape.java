package io.retroscope.examples.zookeeper;

import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.client.FileSession;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.evaluation.QueryLimits;
import io.retroscope.rql.parser.RqlParser;
import io.retroscope.sonify.bank.PatchBank;
import io.retroscope.sonify.play.Performance;
import io.retroscope.sonify.play.PerformanceFile;
import io.retroscope.sonify.rule.PastSoundscape;
import io.retroscope.sonify.rule.Rule;
import io.retroscope.sonify.rule.RuleRows;
import io.retroscope.sonify.rule.SoundscapeRules;
import io.retroscope.sonify.rule.Tempo;
import io.retroscope.sonify.soundscape.Origin;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The soundscape of the demo: how stale, at which node, and by which rule. */
final class DemoSoundscape {
  /** The statements, for {@code listen} and {@code render}. */
  static final String STATEMENTS =
      """
      # How stale is each replica? One strike per step reached, at the side and in the register of the node.
      SELECT r1 FROM setd WHEN SPREAD(r1) >= 2 EMIT EDGES
        PLAY wood EACH n IN NODES : (MAX(r1) - r1@n >= 2) LEVEL MAX(r1) - r1@n PLACE n;
      # The worst staleness, all the time.
      SELECT r1 FROM setd PLAY pad AS BACKGROUND FOLLOW SPREAD(r1) RANGE 0 TO 8;
      # Far too stale for too long.
      SELECT r1 FROM setd WHEN SPREAD(r1) >= 8 FOR 100ms PLAY alarm AS ALARM;
      """;

  private static final Tempo TEMPO = new Tempo(1, Long.MAX_VALUE, 300_000_000);

  private DemoSoundscape() {}

  /** Writes the statements, and the sound of events as WAV and MIDI. */
  static void write(Path events, Path folder) throws IOException {
    Files.writeString(folder.resolve("staleness.rql"), STATEMENTS);
    PatchBank bank = PatchBank.standard();
    Performance performance = play(events, bank);
    PerformanceFile.writeWav(
        performance, bank, bank.soundbank(), 16, folder.resolve("staleness.wav"));
    PerformanceFile.writeMidi(performance, bank, folder.resolve("staleness.mid"));
  }

  private static Performance play(Path events, PatchBank bank) throws IOException {
    SoundscapeRules rules = SoundscapeRules.of(new RqlParser().parseScript(STATEMENTS), bank);
    try (FileSession session =
        FileSession.open(events, all -> ClockOffsets.UNKNOWN, QueryLimits.DEFAULT)) {
      PastSoundscape soundscape =
          new PastSoundscape(
              rules,
              false,
              session.catalog().nodeNames(),
              TEMPO,
              note -> bank.patch(note.patch()).orElseThrow().tailMicros(note.lengthMicros()));
      for (Rule rule : rules.rules()) {
        session.run(rule.query(), new Readings(new RuleRows(rule), soundscape));
      }
      return soundscape.play().performance();
    }
  }

  private record Readings(RuleRows rows, PastSoundscape soundscape) implements RowSink {
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
    public void warning(String message) {}
  }
}
