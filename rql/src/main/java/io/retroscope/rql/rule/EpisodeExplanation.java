// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.rule;

import io.retroscope.rql.explain.Finding;
import io.retroscope.rql.explain.Finding.Part;
import java.util.List;

/**
 * The explanation of an episode: why its rule is broken at its start.
 *
 * @param episode its identity
 */
public record EpisodeExplanation(String episode, List<Finding> findings) {
  /** Copies the list. */
  public EpisodeExplanation {
    findings = List.copyOf(findings);
  }

  /** The sentences, in the order in which they are read; those of single causes are indented. */
  public List<String> lines() {
    return findings.stream()
        .map(finding -> (finding.part() == Part.CAUSE ? "  " : "") + finding.text())
        .toList();
  }
}
