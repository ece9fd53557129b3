// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.command;

import io.retroscope.cli.connection.EventDownload;
import io.retroscope.cli.connection.ServerClient;
import io.retroscope.cli.file.FileProblem;
import io.retroscope.cli.process.CommandException;
import io.retroscope.cli.process.ExitCode;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.console.HtmlReport;
import io.retroscope.console.ReportedRule;
import io.retroscope.rql.client.FileSession;
import io.retroscope.rql.client.Session;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.InMemoryEventSource;
import io.retroscope.rql.file.EventCollector;
import io.retroscope.rql.file.OutputFile;
import io.retroscope.rql.rule.Episode;
import io.retroscope.rql.rule.EpisodeExplanations;
import io.retroscope.rql.rule.Rule;
import io.retroscope.rql.rule.RuleResult;
import io.retroscope.server.align.AlignmentSettings;
import io.retroscope.server.align.ClockAlignment;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The HTML file of a report on rules. Used by one thread. */
final class ReportFile {
  /** The most episodes of a rule that are listed. */
  static final int MAX_EPISODES = 100;

  /** The most episodes of a rule that are explained. */
  static final int EXPLAINED = 3;

  /** The events that are read from a server before and after the first episode. */
  private static final long AROUND_MICROS = 30_000_000;

  private final Path to;
  private final Session session;
  private final Optional<ServerClient> server;

  /**
   * Creates a file that is not written.
   *
   * @param server that of the session; empty if it reads files
   */
  ReportFile(Path to, Session session, Optional<ServerClient> server) {
    this.to = to;
    this.session = session;
    this.server = server;
  }

  /**
   * Adds the episodes to results, and writes the file.
   *
   * @param rules in the order of the last results; statements that are no rules are before them
   */
  void write(List<Rule> rules, List<RuleResult> results, String onTime) throws IOException {
    EpisodeExplanations explanations = new EpisodeExplanations(session, onTime);
    List<ReportedRule> reported = new ArrayList<>();
    int faults = results.size() - rules.size();
    for (int i = 0; i < results.size(); i++) {
      RuleResult result = results.get(i);
      if (i < faults) {
        reported.add(ReportedRule.of(result));
      } else {
        Rule rule = rules.get(i - faults);
        reported.add(
            new ReportedRule(
                explanations.explained(rule, result, EXPLAINED),
                explanations.episodes(rule, result, MAX_EPISODES)));
      }
    }
    EventSource events = events(reported);
    HtmlReport report = new HtmlReport(session.target(), reported);
    try {
      OutputFile.replaceText(to, out -> report.write(events, out));
    } catch (IOException e) {
      throw new CommandException(
          ExitCode.USAGE, "cannot write " + to + ": " + FileProblem.reason(e), e);
    }
  }

  private EventSource events(List<ReportedRule> rules) throws IOException {
    if (session instanceof FileSession files) {
      return files.events();
    }
    EventCollector collected = new EventCollector();
    new EventDownload(server.orElseThrow()).read(around(rules), collected);
    ClockAlignment alignment = new ClockAlignment(AlignmentSettings.DEFAULT);
    collected.events().forEach(alignment::record);
    return new InMemoryEventSource(collected.events(), alignment.offsets());
  }

  /** The parameters that select the events around the first episode, or the latest ones. */
  private String around(List<ReportedRule> rules) throws IOException {
    long last = session.catalog().extent().map(range -> range.to()).orElse(HlcTimestamp.MIN_PACKED);
    long middle =
        rules.stream()
            .flatMap(rule -> rule.episodes().stream())
            .map(Episode::hlc)
            .min(Long::compare)
            .orElse(last);
    long micros = HlcTimestamp.micros(middle);
    return "from=%s&until=%s"
        .formatted(
            HlcTimestamp.text(HlcTimestamp.pack(Math.max(0, micros - AROUND_MICROS))),
            HlcTimestamp.text(HlcTimestamp.pack(micros + AROUND_MICROS)));
  }
}
