// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.cut;

import io.retroscope.clock.HlcTimestamp;
import java.util.Collections;
import java.util.NavigableMap;
import java.util.SortedSet;
import java.util.TreeMap;

/**
 * The stamp up to which all events of the included nodes are expected to be known.
 *
 * @param hlc packed
 * @param missingSince the nodes left out because they have been silent for longer than the idle
 *     timeout, each with the packed stamp up to which its events are known
 */
public record Watermark(long hlc, NavigableMap<String, Long> missingSince) {
  /** Creates a watermark with nodes of which nothing is known. */
  public Watermark(long hlc, SortedSet<String> missing) {
    this(hlc, unknown(missing));
  }

  private static NavigableMap<String, Long> unknown(SortedSet<String> nodes) {
    NavigableMap<String, Long> since = new TreeMap<>(NaturalOrder.INSTANCE);
    nodes.forEach(node -> since.put(node, HlcTimestamp.MIN_PACKED));
    return Collections.unmodifiableNavigableMap(since);
  }

  /** The names of the nodes left out, in natural order. */
  public SortedSet<String> missing() {
    return missingSince.navigableKeySet();
  }
}
