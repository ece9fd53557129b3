// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.json;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.Incompleteness.Extent;
import java.util.HashSet;
import java.util.Set;

/** Gathers the {@link Extent} of the events of an input. Used by one thread. */
public final class StatedExtent {
  private final Set<String> nodes = new HashSet<>();
  private long firstHlc = HlcTimestamp.MAX_PACKED;
  private long lastHlc = HlcTimestamp.MIN_PACKED;

  /** Adds an event by its node and its packed stamp. */
  public void add(String node, long hlc) {
    nodes.add(node);
    firstHlc = Math.min(firstHlc, hlc);
    lastHlc = Math.max(lastHlc, hlc);
  }

  /** All events so far; any events if there are none. */
  public Extent extent() {
    return nodes.isEmpty() ? Extent.ALL : new Extent(nodes, new HlcRange(firstHlc, lastHlc));
  }
}
