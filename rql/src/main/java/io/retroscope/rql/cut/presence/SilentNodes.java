// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.cut.presence;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.rql.cut.EventSource.Sighting;
import io.retroscope.rql.cut.EventSource.View;
import io.retroscope.rql.cut.NaturalOrder;
import io.retroscope.rql.cut.Presence;
import io.retroscope.rql.cut.Presence.Stay;
import io.retroscope.rql.cut.state.CutTimers;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The nodes that are silent at the cuts of a walk, and since when. Used by one thread.
 *
 * <p>Whether a node is silent at a stamp depends on its sightings up to there, and on nothing else:
 * so it does not matter whether the cuts before were evaluated, passed over, or are of another
 * slice. A cut at which nothing changes costs one comparison.
 */
public final class SilentNodes {
  /*
   * Each node is examined again at the first stamp at which it may fall silent or return. No silence
   * begins before a sighting plus the least of all limits. That is why a node whose present range
   * ends is examined at this distance, wherever its own limit is: a range that begins in between
   * may have a shorter one. In a live query it may begin in a later view.
   */
  private static final long NEVER = CutTimers.NEVER;

  private final SilenceLimits limits;
  private final Predicate<String> counts;
  private final Map<String, Node> nodes = new HashMap<>();
  private final PriorityQueue<Node> queue =
      new PriorityQueue<>(Comparator.comparingLong((Node node) -> node.due));
  private final SortedMap<String, SilentNode> silent = new TreeMap<>(NaturalOrder.INSTANCE);
  private List<SilentNode> now = List.of();

  /** Those silent nodes whose return is not in the view. */
  private final List<Node> lost = new ArrayList<>();

  private @Nullable View view;
  private long viewNumber;
  private List<Sighting> arrived = List.of();
  private long position = HlcTimestamp.MIN_PACKED;
  private boolean begun;

  private static final class Node {
    private final String name;
    private final LongestGap gaps = new LongestGap();
    private @Nullable Presence presence;

    /** The number of the view that {@link #presence} is of. */
    private long viewNumber;

    private long due;

    Node(String name) {
      this.name = name;
    }
  }

  /** A listener to the changes. Called by the thread of the walk. */
  @FunctionalInterface
  public interface Listener {
    /**
     * Receives the nodes that are silent from a stamp on, whenever one falls silent or returns.
     *
     * @param hlc packed, above that of the call before; at the first call, the stamp of the first
     *     advance or a later one
     * @param nodes in natural order, immutable; none before the first call
     */
    void silent(long hlc, List<SilentNode> nodes);
  }

  /**
   * Creates an empty set, before the first cut.
   *
   * @param counts whether a node is part of the cuts
   */
  public SilentNodes(SilenceLimits limits, Predicate<String> counts) {
    this.limits = limits;
    this.counts = counts;
  }

  /** The silent nodes at the last stamp, in natural order: the same list until one changes. */
  public List<SilentNode> now() {
    return now;
  }

  /**
   * Continues in a view.
   *
   * @param next holds every sighting up to the stamps of the next advances
   */
  public void continueIn(View next) {
    if (next == view) {
      return;
    }
    boolean isFirst = view == null;
    view = next;
    viewNumber++;
    List<Sighting> all = next.arrivals();
    if (isFirst) {
      next.presences().forEach(this::add);
    } else if (all != arrived) {
      for (Sighting first : all) {
        if (!nodes.containsKey(first.node())) {
          next.presence(first.node()).ifPresent(this::add);
        }
      }
    }
    arrived = all;
    lost.forEach(node -> schedule(node, position + 1));
    lost.clear();
  }

  private void add(Presence presence) {
    Iterator<Stay> stays = presence.from(HlcTimestamp.MIN_PACKED);
    if (counts.test(presence.node()) && stays.hasNext()) {
      Node node = new Node(presence.node());
      node.presence = presence;
      node.viewNumber = viewNumber;
      nodes.put(node.name, node);
      long first = stays.next().from();
      schedule(node, begun ? Math.max(first, position + 1) : first);
    }
  }

  private void schedule(Node node, long due) {
    node.due = due;
    queue.add(node);
  }

  /**
   * Moves to a stamp, and reports each change on the way; at the first stamp only the state there.
   *
   * @param hlc packed; below an earlier one, nothing happens
   */
  public void advance(long hlc, Listener listener) {
    if (!begun) {
      begun = true;
      goTo(hlc);
    }
    for (Node first = queue.peek(); first != null && first.due <= hlc; first = queue.peek()) {
      long at = first.due;
      if (examineAll(at)) {
        now = List.copyOf(silent.values());
        listener.silent(at, now);
      }
    }
    position = Math.max(position, hlc);
  }

  private void goTo(long hlc) {
    queue.clear();
    nodes.values().forEach(node -> schedule(node, Math.max(node.due, hlc)));
  }

  /** Examines the nodes that are due at a stamp; returns whether any changes. */
  private boolean examineAll(long at) {
    boolean isChanged = false;
    for (Node due = queue.peek(); due != null && due.due == at; due = queue.peek()) {
      queue.remove();
      isChanged |= examine(due, at);
      due.due = Math.max(due.due, at + 1); // Whatever the limits are, the search ends.
      if (due.due < NEVER) {
        queue.add(due);
      } else {
        lost.add(due);
      }
    }
    return isChanged;
  }

  /** Examines a node at a stamp, and sets when to do it again; returns whether it changes. */
  private boolean examine(Node node, long at) {
    Presence presence = presence(node);
    Stay last = presence == null ? null : presence.latest(at).orElse(null);
    if (presence == null || last == null || !limits.isTime(last.to())) {
      node.due = presence == null ? NEVER : nextStay(presence, at);
      return silent.remove(node.name) != null;
    }
    long silence = HlcTimestamp.micros(at) - HlcTimestamp.micros(last.to());
    long limit = limit(node, presence, last, silence);
    if (silence > limit) {
      node.due = nextStay(presence, at);
      SilentNode value = new SilentNode(node.name, last.to());
      return !value.equals(silent.put(node.name, value));
    }
    node.due = Math.min(above(last.to(), limit), above(Math.max(at, last.to()), limits.least()));
    return silent.remove(node.name) != null;
  }

  private @Nullable Presence presence(Node node) {
    if (node.viewNumber != viewNumber && view != null) {
      node.presence = view.presence(node.name).orElse(null);
      node.viewNumber = viewNumber;
    }
    return node.presence;
  }

  /** The limit of a node; a lower bound of it if its silence is below that. */
  private long limit(Node node, Presence presence, Stay last, long silence) {
    if (last.assuredMicros() > 0) {
      return limits.promised(last.assuredMicros());
    }
    return silence <= limits.unpromised()
        ? limits.unpromised()
        : node.gaps.limit(limits, presence, last);
  }

  private static long nextStay(Presence presence, long hlc) {
    Iterator<Stay> stays = presence.from(hlc + 1);
    return stays.hasNext() ? stays.next().from() : NEVER;
  }

  /** The first stamp that is more than a time above another one. */
  private static long above(long hlc, long micros) {
    long first = HlcTimestamp.micros(hlc) + micros + 1;
    return first < 0 || first > HlcTimestamp.MAX_MICROS ? NEVER : HlcTimestamp.pack(first);
  }
}
