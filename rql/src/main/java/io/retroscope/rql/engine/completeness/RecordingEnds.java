// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine.completeness;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.rql.cut.Catalog.NodeDescription;
import io.retroscope.rql.cut.EventSource.View;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.Incompleteness.AfterEnd;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Predicate;

/**
 * The ends of recordings that have become a part of a larger source, whose other events continue.
 *
 * @param view the events of the source
 */
record RecordingEnds(View view) {
  /**
   * The last of the packed stamps up to which the events of nodes are known; empty if one of the
   * nodes continues after its recordings, or belongs to none.
   *
   * @param counts the nodes; those that were forgotten are expected to have ended
   */
  OptionalLong of(Predicate<String> counts) {
    List<AfterEnd> ends =
        view.reasons(HlcRange.ALL).stream()
            .filter(AfterEnd.class::isInstance)
            .map(AfterEnd.class::cast)
            .toList();
    if (ends.isEmpty()) {
      return OptionalLong.empty();
    }
    long last = HlcTimestamp.MIN_PACKED;
    for (NodeDescription node : view.nodes()) {
      if (!node.forgotten() && counts.test(node.name())) {
        OptionalLong end = end(node, ends);
        if (end.isEmpty()) {
          return end;
        }
        last = Math.max(last, end.getAsLong());
      }
    }
    return last == HlcTimestamp.MIN_PACKED ? OptionalLong.empty() : OptionalLong.of(last);
  }

  private static OptionalLong end(NodeDescription node, List<AfterEnd> ends) {
    return ends.stream()
        .filter(end -> end.nodes().isEmpty() || end.nodes().contains(node.name()))
        .mapToLong(AfterEnd::hlc)
        .filter(hlc -> hlc >= node.lastHlc())
        .max();
  }
}
