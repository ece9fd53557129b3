package io.retroscope.examples.zookeeper;

import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.client.FileSession;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.evaluation.QueryLimits;
import io.retroscope.rql.parser.RqlParser;
import io.retroscope.sonify.bank.PatchBank;
import io.retroscope.sonify.bank.SoundBank;
import io.retroscope.sonify.play.Performance;
import io.retroscope.sonify.play.PerformanceFile;
import io.retroscope.sonify.rule.SoundscapeRules;
import io.retroscope.sonify.rule.Tempo;
import io.retroscope.sonify.session.PastPlayer;
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

  /** The same edges with one pitch, to compare: it shows when, but not how stale or where. */
  static final String SINGLE_PITCH =
      "SELECT r1 FROM setd WHEN SPREAD(r1) >= 2 EMIT EDGES"
          + " PLAY woodblock NOTE 60 + 2 * SPREAD(r1);";

  private static final Tempo TEMPO = new Tempo(1, Long.MAX_VALUE, 300_000_000);

  private DemoSoundscape() {}

  /** Writes the statements, and the sound of events as WAV and MIDI. */
  static void write(Path events, Path folder) throws IOException {
    Files.writeString(folder.resolve("staleness.rql"), STATEMENTS);
    write(STATEMENTS, events, folder, "staleness");
    write(SINGLE_PITCH, events, folder, "single-pitch");
  }

  private static void write(String statements, Path events, Path folder, String name)
      throws IOException {
    Performance performance = play(statements, events);
    PerformanceFile.writeWav(performance, SoundBank.own(), 16, folder.resolve(name + ".wav"));
    PerformanceFile.writeMidi(performance, folder.resolve(name + ".mid"));
  }

  private static Performance play(String statements, Path events) throws IOException {
    try (FileSession session =
        FileSession.open(events, all -> ClockOffsets.UNKNOWN, QueryLimits.DEFAULT)) {
      return PastPlayer.at(TEMPO).play(session, rules(statements), new Quiet()).performance();
    }
  }

  /** The rules, for live rows. */
  static SoundscapeRules liveRules() {
    return rules(STATEMENTS.replace("SELECT ", "SELECT STREAM "));
  }

  private static SoundscapeRules rules(String statements) {
    return SoundscapeRules.of(new RqlParser().parseScript(statements), PatchBank.standard());
  }

  /** A sink that needs neither rows nor warnings: the demo's question prints both. */
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
