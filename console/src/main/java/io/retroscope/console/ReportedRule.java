// SPDX-License-Identifier: Apache-2.0
package io.retroscope.console;

import io.retroscope.rql.rule.Episode;
import io.retroscope.rql.rule.RuleResult;
import java.util.List;

/**
 * A rule in a report.
 *
 * @param result its verdict, with the explanations of some episodes
 * @param episodes the episodes that the page lists, in their order
 */
public record ReportedRule(RuleResult result, List<Episode> episodes) {
  /** Copies the list. */
  public ReportedRule {
    episodes = List.copyOf(episodes);
  }

  /** A rule with the episode that decided, if there is one. */
  public static ReportedRule of(RuleResult result) {
    return new ReportedRule(result, result.first().stream().toList());
  }
}
