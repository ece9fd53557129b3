// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.check;

import io.retroscope.rql.rule.EpisodeExplanation;
import io.retroscope.rql.rule.RuleResult;
import java.util.ArrayList;
import java.util.List;

/** The explanations of a broken rule as lines. */
final class ExplanationText {
  private ExplanationText() {}

  static List<String> lines(RuleResult result) {
    List<String> lines = new ArrayList<>();
    for (EpisodeExplanation explanation : result.explanations()) {
      if (!explanation.findings().isEmpty()) {
        boolean several = result.explanations().size() > 1;
        lines.add(several ? "why, in " + explanation.episode() + ":" : "why:");
        explanation.lines().forEach(line -> lines.add("  " + line));
      }
    }
    return lines;
  }
}
