// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.command;

import io.retroscope.cli.connection.EventDownload;
import io.retroscope.cli.connection.ServerClient;
import io.retroscope.cli.file.FileProblem;
import io.retroscope.cli.process.CommandException;
import io.retroscope.cli.process.ExitCode;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.console.HtmlReport;
import io.retroscope.recordings.file.EventCollector;
import io.retroscope.rql.client.LocalSession;
import io.retroscope.rql.client.Session;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.InMemoryEventSource;
import io.retroscope.rql.print.OutputFile;
import io.retroscope.rql.rule.Rule;
import io.retroscope.rql.rule.RuleResult;
import io.retroscope.server.align.AlignmentSettings;
import io.retroscope.server.align.ClockAlignment;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** The HTML file of a report on rules. Used by one thread. */
final class ReportFile {
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
    HtmlReport report = HtmlReport.of(session, rules, results, onTime);
    EventSource events = events(report);
    try {
      OutputFile.replaceText(to, out -> report.write(events, out));
    } catch (IOException e) {
      throw new CommandException(
          ExitCode.USAGE, "cannot write " + to + ": " + FileProblem.reason(e), e);
    }
  }

  private EventSource events(HtmlReport report) throws IOException {
    if (session instanceof LocalSession files) {
      return files.events();
    }
    EventCollector collected = new EventCollector();
    new EventDownload(server.orElseThrow()).read(around(report), collected);
    ClockAlignment alignment = new ClockAlignment(AlignmentSettings.DEFAULT);
    collected.events().forEach(alignment::record);
    return new InMemoryEventSource(
        collected.events(), collected.gaps(), collected.reasons(), alignment.offsets());
  }

  /** The parameters that select the events around the first episode, or the latest ones. */
  private String around(HtmlReport report) throws IOException {
    long last = session.catalog().extent().map(range -> range.to()).orElse(HlcTimestamp.MIN_PACKED);
    long micros = HlcTimestamp.micros(report.firstEpisode().orElse(last));
    return "from=%s&until=%s"
        .formatted(
            HlcTimestamp.text(HlcTimestamp.pack(Math.max(0, micros - AROUND_MICROS))),
            HlcTimestamp.text(HlcTimestamp.pack(micros + AROUND_MICROS)));
  }
}
