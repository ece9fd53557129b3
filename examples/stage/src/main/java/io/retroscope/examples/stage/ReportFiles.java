// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.stage;

import io.retroscope.console.HtmlReport;
import io.retroscope.event.Event;
import io.retroscope.recordings.file.EventFileSet;
import io.retroscope.rql.client.LocalSession;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.evaluation.QueryLimits;
import io.retroscope.rql.print.OutputFile;
import io.retroscope.rql.rule.RuleCheck;
import io.retroscope.rql.rule.RuleResult;
import io.retroscope.rql.rule.RuleSet;
import io.retroscope.server.align.AlignmentSettings;
import io.retroscope.server.align.ClockAlignment;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** The questions of a demonstration as rules, and the page that shows where they are broken. */
public final class ReportFiles {
  private ReportFiles() {}

  /**
   * Writes {@code rules.rql} and {@code report.html}.
   *
   * @param events a file of events
   * @return the page
   */
  public static Path write(List<Question> questions, Path events, Path folder) throws IOException {
    String rules = rules(questions);
    Files.writeString(folder.resolve("rules.rql"), rules);
    RuleSet set = new RuleSet();
    set.add("rules.rql", rules);
    Path page = folder.resolve("report.html");
    try (LocalSession session =
        EventFileSet.of(events, ReportFiles::offsets).session(QueryLimits.DEFAULT)) {
      List<RuleResult> results =
          new RuleCheck(session, "", System::nanoTime).check(set.rules()).results();
      HtmlReport report = HtmlReport.of(session, set.rules(), results, "");
      OutputFile.replaceText(page, out -> report.write(session.events(), out));
    }
    return page;
  }

  private static ClockOffsets offsets(Iterable<Event> events) {
    ClockAlignment alignment = new ClockAlignment(AlignmentSettings.DEFAULT);
    events.forEach(alignment::record);
    return alignment.offsets();
  }

  private static String rules(List<Question> questions) {
    return questions.stream().map(ReportFiles::rule).collect(Collectors.joining("\n"));
  }

  private static String rule(Question question) {
    String name = question.title().toLowerCase(Locale.ROOT).replaceAll("\\W+", "_");
    String query = question.rql().replaceFirst("(?: EMIT EDGES)?;$", "");
    return "CREATE RULE %s AS (\n  %s\n);\n".formatted(name, query);
  }
}
