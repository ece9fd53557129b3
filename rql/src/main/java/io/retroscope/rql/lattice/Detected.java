// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.lattice;

import io.retroscope.event.Value;
import java.util.List;
import java.util.Optional;

/**
 * The answer to POSSIBLY or DEFINITELY.
 *
 * @param answer empty if it is undecided
 * @param cut if the answer is yes, a struct with the stamp of each node's last event in the least
 *     cut; otherwise NULL
 * @param messages if the answer is yes, a set of the messages that bound the cut; otherwise NULL
 * @param warnings why it is undecided, and what else affects its meaning
 * @param figures its cost, as lines for EXPLAIN ANALYZE
 */
public record Detected(
    Optional<Boolean> answer,
    Value cut,
    Value messages,
    List<String> warnings,
    List<String> figures) {
  /** Copies the lists. */
  public Detected {
    warnings = List.copyOf(warnings);
    figures = List.copyOf(figures);
  }
}
