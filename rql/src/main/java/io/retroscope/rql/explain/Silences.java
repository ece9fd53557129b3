// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.explain;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The nodes that recorded nothing for an unusual time before a cut, as a paused process does: for
 * longer than {@link #FACTOR} times the longest of the intervals before. Used by one thread.
 */
final class Silences {
  private static final int FACTOR = 2;

  /** The intervals of a node that are compared, and the fewest that show the usual one. */
  private static final int MAX_INTERVALS = 24;

  private static final int MIN_INTERVALS = 6;

  private final long cutMicros;
  private final Map<String, Node> nodes = new LinkedHashMap<>();

  private static final class Node {
    private final Event last;
    private long micros;
    private int intervals;
    private long longest;

    Node(Event last) {
      this.last = last;
      this.micros = HlcTimestamp.micros(last.hlc());
    }

    void add(Event earlier) {
      if (intervals < MAX_INTERVALS) {
        long before = HlcTimestamp.micros(earlier.hlc());
        longest = Math.max(longest, micros - before);
        micros = before;
        intervals++;
      }
    }
  }

  /**
   * Creates silences of no nodes.
   *
   * @param cut packed
   */
  Silences(long cut) {
    this.cutMicros = HlcTimestamp.micros(cut);
  }

  /** Adds an event up to the cut; those of a node in descending order of their stamps. */
  void add(Event event) {
    Node node = nodes.get(event.node());
    if (node == null) {
      nodes.put(event.node(), new Node(event));
    } else {
      node.add(event);
    }
  }

  /** The last events of the silent nodes. */
  List<Event> found() {
    return nodes.values().stream()
        .filter(node -> node.intervals >= MIN_INTERVALS)
        .filter(node -> cutMicros - HlcTimestamp.micros(node.last.hlc()) > FACTOR * node.longest)
        .map(node -> node.last)
        .toList();
  }
}
