// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.zookeeper;

import io.retroscope.examples.stage.Check;
import io.retroscope.examples.stage.DemoScreen;
import io.retroscope.examples.stage.DemoServer;
import io.retroscope.examples.stage.LiveAndPast;
import io.retroscope.examples.stage.Match;
import io.retroscope.examples.stage.Question;
import io.retroscope.examples.stage.ReportFiles;
import io.retroscope.examples.stage.StageException;
import io.retroscope.rql.cut.Catalog;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.NodeAlignment;
import io.retroscope.sonify.rule.PastSoundscape.Played;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;

/** The demo's summary at its end, and its files. */
final class DemoReport {
  private static final String EVERY_CUT = "SELECT r1, SPREAD(r1) AS staleness FROM setd;";
  private static final String INTERVALS =
      "SELECT r1, SPREAD(r1) AS staleness FROM setd" + " WHEN SPREAD(r1) >= 2 EMIT INTERVALS;";

  private final DemoScreen screen;
  private final DemoServer server;
  private final Path outFolder;

  DemoReport(DemoScreen screen, DemoServer server, Path outFolder) {
    this.screen = screen;
    this.server = server;
    this.outFolder = outFolder;
  }

  /**
   * Prints the summary, repeats the live query on the past, and writes the files.
   *
   * @param live the results of the live query
   * @return the faults: the past gives other results, or the oracle does not agree
   */
  Optional<String> finish(List<Match> live) throws StageException, IOException {
    List<Match> past = server.run(ZookeeperDemo.QUESTION.replace("SELECT STREAM", "SELECT"));
    summarise(past);
    boolean same = compare(live, past);
    server.export(outFolder.resolve("events.ndjson"));
    List<List<Match>> rows = new ArrayList<>();
    for (String query : LevelSounds.queries()) {
      rows.add(server.run(query));
    }
    Played levels = DemoSoundscape.write(outFolder.resolve("events.ndjson"), outFolder);
    List<String> wrong = new ArrayList<>();
    for (Check check : List.of(ProposalOracle.check(server), LevelSounds.check(levels, rows))) {
      screen.print((check.holds() ? "It holds: " : "It FAILS: ") + check.statement());
      if (!check.holds()) {
        wrong.add(check.statement());
      }
    }
    Question stale = new Question("stale", "r1", ZookeeperDemo.QUESTION.replace(" STREAM", ""));
    sayFiles(ReportFiles.write(List.of(stale), outFolder.resolve("events.ndjson"), outFolder));
    if (!same) {
      return Optional.of("the past and the live answer differ");
    }
    return wrong.isEmpty()
        ? Optional.empty()
        : Optional.of("the oracle does not agree: " + String.join("; ", wrong));
  }

  private void summarise(List<Match> past) throws StageException, IOException {
    List<Match> cuts = server.run(EVERY_CUT);
    List<Match> intervals = server.run(INTERVALS);
    screen.print("");
    screen.print("Events        " + eventsByNode());
    screen.print(
        String.format(
            Locale.ROOT, "Cuts of r1    %d, %d stretches stale", cuts.size(), intervals.size()));
    screen.print(
        "Stalest       "
            + cuts.stream()
                .max(Comparator.comparingLong(match -> match.number("staleness")))
                .filter(cut -> cut.number("staleness") > 0)
                .map(cut -> cut.number("staleness") + " versions: " + cut.byNode("r1"))
                .orElse("never"));
    screen.print(
        "Longest       "
            + intervals.stream()
                .max(Comparator.comparingLong(Match::durationMicros))
                .map(DemoReport::interval)
                .orElse("never"));
    screen.print("Clocks        " + clocks());
    screen.print(
        String.format(Locale.ROOT, "Edges         %d, of them %d rises", past.size(), rises(past)));
  }

  private static long rises(List<Match> matches) {
    return matches.stream().filter(Match::isRise).count();
  }

  private static String interval(Match interval) {
    return String.format(
        Locale.ROOT, "%.0f ms, from %s", interval.durationMicros() / 1e3, interval.timeOfDay());
  }

  private String eventsByNode() {
    StringBuilder text = new StringBuilder();
    for (Catalog.NodeDescription node : server.nodes()) {
      text.append(String.format(Locale.ROOT, "%s %,d   ", node.name(), node.eventCount()));
    }
    return text.toString().strip();
  }

  private String clocks() {
    Optional<String> driver = server.driverNode();
    if (driver.isEmpty()) {
      return "nothing is known of them yet";
    }
    StringBuilder text = new StringBuilder(driver.get() + " drives");
    for (NodeAlignment node : server.alignment()) {
      if (!node.node().equals(driver.get())) {
        text.append("; ").append(node.node()).append(' ').append(offset(node));
      }
    }
    return text.toString();
  }

  private static String offset(NodeAlignment node) {
    if (node.offset().isEmpty()) {
      return "unknown";
    }
    ClockOffsets.Offset offset = node.offset().get();
    return String.format(
        Locale.ROOT,
        "%+.3f ms (%s to %s)",
        offset.estimateMicros() / 1e3,
        bound(offset.lowMicros()),
        bound(offset.highMicros()));
  }

  private static String bound(OptionalLong micros) {
    return micros.isPresent() ? String.format(Locale.ROOT, "%+.3f", micros.getAsLong() / 1e3) : "?";
  }

  private boolean compare(List<Match> live, List<Match> past) {
    LiveAndPast both = LiveAndPast.of(live, past);
    int left = both.incompleteCount();
    Optional<String> difference = both.difference();
    screen.print("");
    screen.print(
        difference
            .map(text -> "The past differs " + text)
            .orElseGet(
                () ->
                    String.format(
                        Locale.ROOT,
                        "The same query over the stored events returns the same %d rows, cut by"
                            + " cut%s.",
                        both.liveCount(),
                        left == 0
                            ? ""
                            : " (" + left + " live rows lacked a silent node, left out)")));
    return difference.isEmpty();
  }

  private void sayFiles(Path page) {
    screen.print(
        "Left in "
            + outFolder
            + ": staleness.wav, .mid and .rql, levels.wav, .mid and .rql, single-pitch.wav and"
            + " .mid, events.ndjson, rules.rql");
    screen.print("  open the report: " + page);
    screen.print(
        "  query the file: ./retroscope shell --file "
            + outFolder.resolve("events.ndjson")
            + " -c 'SELECT r1 FROM setd WHEN SPREAD(r1) >= 2;'");
  }
}
