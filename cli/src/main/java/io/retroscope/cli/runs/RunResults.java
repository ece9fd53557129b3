// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.runs;

import io.retroscope.rql.rule.RuleResult;
import java.util.List;

/**
 * The verdicts on one run.
 *
 * @param labels in the order of {@link RunLabels#names}
 * @param results in the order of the rules; empty if the run could not be read
 * @param problem why it could not be read; otherwise empty
 */
public record RunResults(
    RecordedRun run, List<String> labels, List<RuleResult> results, String problem) {
  /** Copies the lists. */
  public RunResults {
    labels = List.copyOf(labels);
    results = List.copyOf(results);
  }

  /** Whether the events of the run could be read. */
  public boolean isRead() {
    return problem.isEmpty();
  }
}
