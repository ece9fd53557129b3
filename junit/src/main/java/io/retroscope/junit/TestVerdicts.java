// SPDX-License-Identifier: Apache-2.0
package io.retroscope.junit;

import io.retroscope.console.HtmlReport;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody.Heartbeat;
import io.retroscope.recordings.file.EventFileSet;
import io.retroscope.rql.client.LocalSession;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.evaluation.QueryLimits;
import io.retroscope.rql.print.OutputFile;
import io.retroscope.rql.print.SpaceTimeDiagram;
import io.retroscope.rql.rule.Episode;
import io.retroscope.rql.rule.EpisodeExplanation;
import io.retroscope.rql.rule.EpisodeExplanations;
import io.retroscope.rql.rule.EpisodeText;
import io.retroscope.rql.rule.Rule;
import io.retroscope.rql.rule.RuleCheck;
import io.retroscope.rql.rule.RuleFault;
import io.retroscope.rql.rule.RuleResult;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The verdicts on the rules of one test, and what they mean for it. Used by one thread. */
final class TestVerdicts {
  private final Set<String> expectedBroken;
  private final Set<String> allowedInconclusive;
  private final boolean failed;
  private final List<String> failures = new ArrayList<>();
  private final List<String> remarks = new ArrayList<>();
  private final List<String> commands = new ArrayList<>();
  private Optional<Path> page = Optional.empty();

  /**
   * Nothing is decided yet.
   *
   * @param failed whether the test has failed by itself: inconclusive rules are no news then
   */
  TestVerdicts(Set<String> expectedBroken, Set<String> allowedInconclusive, boolean failed) {
    this.expectedBroken = expectedBroken;
    this.allowedInconclusive = allowedInconclusive;
    this.failed = failed;
  }

  /**
   * Checks all rules over a recorded file.
   *
   * @param events those of the file
   * @param problems of the recording
   */
  void check(RuleFiles files, Path file, List<Event> events, List<String> problems)
      throws IOException {
    commands.add("retroscope shell " + file);
    failures.addAll(problems);
    List<RuleResult> results = new ArrayList<>();
    for (RuleFault fault : files.rules().faults()) {
      results.add(RuleCheck.of(fault));
    }
    try (LocalSession session =
        EventFileSet.of(file, all -> ClockOffsets.UNKNOWN).session(QueryLimits.DEFAULT)) {
      RuleCheck check = new RuleCheck(session, "", () -> 0);
      EpisodeExplanations explanations = new EpisodeExplanations(session, "");
      for (Rule rule : files.rules().rules()) {
        results.add(explanations.explained(rule, check.check(rule), 1));
      }
      judge(files, results, events, file);
      if (failed || !failures.isEmpty()) {
        writePage(session, files, results, file);
      }
    }
  }

  private void judge(RuleFiles files, List<RuleResult> results, List<Event> events, Path file) {
    if (results.isEmpty()) {
      failures.add("no rule is given: name files with @Rules, or ClusterExtension.rules(...)");
    } else {
      commands.add("retroscope check " + files.names() + " " + file);
    }
    checkNames(results);
    for (RuleResult result : results) {
      judge(result, events);
    }
  }

  /** Writes the page that shows the recording, beside its file. */
  private void writePage(
      LocalSession session, RuleFiles files, List<RuleResult> results, Path recorded)
      throws IOException {
    String name = String.valueOf(recorded.getFileName()).replaceFirst("\\.ndjson$", "");
    Path html = recorded.resolveSibling(name + ".html");
    HtmlReport report = HtmlReport.of(session, files.rules().rules(), results, "");
    OutputFile.replaceText(html, out -> report.write(session.events(), out));
    page = Optional.of(html);
  }

  /** The address of the page that shows the recording of a failed test; empty for others. */
  Optional<URI> page() {
    return page.map(html -> html.toAbsolutePath().toUri());
  }

  /** A misspelt name would change what the test means. */
  private void checkNames(List<RuleResult> results) {
    Set<String> unknown = new LinkedHashSet<>(expectedBroken);
    unknown.addAll(allowedInconclusive);
    Set<String> known = new TreeSet<>();
    results.forEach(result -> known.add(result.rule()));
    unknown.removeAll(known);
    for (String name : unknown) {
      failures.add(
          "there is no rule \"%s\", which an annotation names: the rules are %s"
              .formatted(name, String.join(", ", known)));
    }
  }

  private void judge(RuleResult result, List<Event> events) {
    String heading = result.rule() + " (" + result.place() + ")";
    boolean expected = expectedBroken.contains(result.rule());
    result.warnings().forEach(warning -> remarks.add(heading + ": " + warning));
    switch (result.outcome()) {
      case HOLDS -> {
        if (expected && !failed) {
          failures.add("holds, and is expected to be broken: " + heading);
        }
      }
      case BROKEN -> {
        if (expected) {
          String episode = result.first().map(first -> ": episode " + first.id()).orElse("");
          remarks.add("broken, as expected: " + heading + episode);
        } else {
          failures.add(broken(heading, result, events));
        }
      }
      case NOT_YET -> remarks.add("not yet, which another run may change: " + heading);
      case INCONCLUSIVE, VACUOUS -> {
        if (allowedInconclusive.contains(result.rule()) && !expected) {
          remarks.add("inconclusive, which is allowed: " + heading + ": " + result.reason());
        } else if (!failed) {
          failures.add("inconclusive: " + heading + "\n" + indented(result.reason().lines()));
        }
      }
      case WRONG -> failures.add("wrong: " + heading + "\n" + indented(result.reason().lines()));
    }
  }

  private static String broken(String heading, RuleResult result, List<Event> events) {
    List<String> lines = new ArrayList<>();
    if (!result.description().isEmpty()) {
      lines.add(result.description());
    }
    lines.addAll(EpisodeText.lines(result));
    for (EpisodeExplanation explanation : result.explanations()) {
      lines.add("why:");
      explanation.lines().forEach(line -> lines.add("  " + line));
    }
    // A rule that nothing fulfilled is shown with the end of the recording.
    long cut =
        result
            .first()
            .map(Episode::hlc)
            .orElseGet(
                () ->
                    events.stream()
                        .filter(event -> !(event.body() instanceof Heartbeat))
                        .mapToLong(Event::hlc)
                        .max()
                        .orElse(0));
    List<String> diagram = SpaceTimeDiagram.lines(events, cut);
    if (!diagram.isEmpty()) {
      lines.add("");
      lines.addAll(diagram);
    }
    return "broken: " + heading + "\n" + indented(lines.stream());
  }

  private static String indented(Stream<String> lines) {
    return lines.map(line -> line.isEmpty() ? "" : "  " + line).collect(Collectors.joining("\n"));
  }

  /** What fails the test; empty if nothing does. */
  List<String> failures() {
    return failures;
  }

  /** Remarks for the report of the test. */
  List<String> remarks() {
    return remarks;
  }

  /** The failures, and the commands that examine the recorded file. */
  String message() {
    return String.join("\n\n", failures)
        + page().map(html -> "\n\nThe page that shows them: " + html).orElse("")
        + "\n\nThe events are recorded; these commands examine them:\n"
        + indented(commands.stream());
  }
}
