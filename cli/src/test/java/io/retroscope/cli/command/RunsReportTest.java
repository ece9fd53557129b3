// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.cli.check.VerdictReport;
import io.retroscope.cli.process.ExitCode;
import io.retroscope.cli.runs.RecordedRun;
import io.retroscope.cli.runs.RunLabels;
import io.retroscope.cli.runs.RunsCheck;
import io.retroscope.cli.trait.TraitReader;
import io.retroscope.recordings.file.EventFileSet;
import io.retroscope.recordings.file.InputSettings;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.evaluation.QueryLimits;
import io.retroscope.rql.rule.RuleSet;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunsReportTest {
  @TempDir private Path folder = Path.of("");

  /** A run may be too long for its values to be listed; here, its file has gone. */
  @Test
  void check_valuesThatCannotBeRead_leaveTheVerdicts() throws Exception {
    String event = "{\"node\":\"a\",\"log\":\"m\",\"hlc\":\"1000000.0\",\"set\":{\"v\":5}}\n";
    Path events = Files.writeString(folder.resolve("events.ndjson"), event);
    RuleSet rules = new RuleSet();
    rules.add("rules.rql", "CREATE RULE low AS (NEVER MAX(v) > 1 FROM m);");
    RunLabels labels = RunLabels.read(List.of());
    RunsCheck check =
        new RunsCheck(
            rules.rules(),
            labels,
            run ->
                new RunsCheck.Opened(
                    EventFileSet.of(events, all -> ClockOffsets.UNKNOWN)
                        .session(QueryLimits.DEFAULT),
                    ""),
            () -> 0);
    StringWriter text = new StringWriter();
    RunsReport report =
        new RunsReport(
            new PrintWriter(text),
            VerdictReport.TEXT,
            Optional.empty(),
            Optional.empty(),
            1,
            new TraitReader(InputSettings.DEFAULT));
    RecordedRun run = new RecordedRun("run", folder.resolve("gone.ndjson"));
    ExitCode code = report.check(rules, List.of(run), labels, check);
    assertThat(code).as(text.toString()).isEqualTo(ExitCode.FAILED);
    assertThat(text.toString()).contains("low (", "  not known: ", "1 rule: 1 broken");
  }
}
