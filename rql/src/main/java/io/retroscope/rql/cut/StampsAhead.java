// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.cut;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.rql.cut.Incompleteness.Ahead;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds the ranges in which stamps were ahead of every clock, because the highest clock was set
 * back: while the clocks catch up, stamps hardly advance. The events of several nodes come in any
 * order, and those of one node in the order of their stamps, apart from some that are late.
 * Thread-safe.
 */
public final class StampsAhead {
  /*
   * A range begins where the readings of a node fall below its stamps, and ends with the next stamp
   * that is a reading again, of any node. Another node that gave out readings shortly before shows
   * that its clock was not far below, unless it was set back as well: stamps are ahead by no more
   * than the time since.
   *
   * Stamps that are ahead of their own reading are common, because the clock of another node is
   * higher. That is why a range does not begin without a fall.
   */

  /** A smaller lead of stamps over readings, and a smaller fall, is normal. */
  static final long LEAST_MICROS = 1_000;

  /** The most ranges that are kept; the oldest are forgotten. */
  static final int MAX_RANGES = 1_000;

  /** The most other nodes whose readings bound a range. */
  private static final int MAX_OTHERS = 16;

  /** Readings at smaller distances count as one span. */
  private static final long SPAN_GAP_MICROS = 100_000;

  /** The number of spans of a node that are kept, for nodes whose events come later. */
  private static final int MAX_SPANS = 8;

  /** Events of other nodes come at most this much later, by their stamps. */
  private static final long SETTLED_MICROS = 120_000_000;

  private final Map<String, Node> nodes = new HashMap<>();
  private final List<Lead> leads = new ArrayList<>();

  /** Above this stamp no range changes any more because of other nodes. */
  private long settledMicros = Long.MIN_VALUE;

  /** A range in which the stamps of a node were ahead of its readings. */
  private static final class Lead {
    private final Node node;
    private final long fromHlc;
    private final long aheadMicros;
    private long toHlc;

    /** The last readings of other nodes that were stamps up to the first of the range. */
    private final Map<Node, Long> othersBefore = new HashMap<>();

    /** The first reading of another node that was a stamp after it. */
    private long otherAfterMicros = Long.MAX_VALUE;

    Lead(Node node, long hlc, long readingMicros) {
      this.node = node;
      this.fromHlc = hlc;
      this.toHlc = hlc;
      this.aheadMicros = HlcTimestamp.micros(hlc) - readingMicros;
    }

    /** Notes that it lasts at least until a stamp. */
    void end(long hlc) {
      toHlc = Math.max(toHlc, hlc);
    }

    void noteOther(Node other, long micros) {
      if (micros <= HlcTimestamp.micros(fromHlc)) {
        if (othersBefore.size() < MAX_OTHERS || othersBefore.containsKey(other)) {
          othersBefore.merge(other, micros, Math::max);
        }
      } else {
        otherAfterMicros = Math.min(otherAfterMicros, micros);
      }
    }

    /**
     * The range of every clock's lag; null if another node's clock was not below the stamps.
     *
     * @param otherMicros the last reading before it of another node that was not set back as well
     */
    @Nullable Ahead ahead(long otherMicros) {
      long ahead =
          otherMicros == Long.MIN_VALUE
              ? aheadMicros
              : Math.min(aheadMicros, HlcTimestamp.micros(fromHlc) - otherMicros);
      if (ahead < LEAST_MICROS) {
        return null;
      }
      boolean isCut = otherAfterMicros < HlcTimestamp.micros(toHlc);
      long to = isCut ? HlcTimestamp.pack(otherAfterMicros) : toHlc;
      return new Ahead(new HlcRange(fromHlc, Math.max(fromHlc, to)), Set.of(node.name), ahead);
    }
  }

  /** The events of one node. */
  public final class Node {
    private final String name;
    private final Track latest = new Track(this);
    private final Track earlier = new Track(this);

    private Node(String name) {
      this.name = name;
    }

    /**
     * Adds an event. Those that are not above the last of this node are followed apart, in the
     * order of their stamps: a server reads stored events while new ones arrive.
     *
     * @param hlc packed
     * @param readingMicros of the node's clock; {@link Event#NO_PHYSICAL} is ignored
     */
    public void add(long hlc, long readingMicros) {
      if (readingMicros != Event.NO_PHYSICAL) {
        synchronized (StampsAhead.this) {
          if (!latest.add(hlc, readingMicros)) {
            earlier.add(hlc, readingMicros);
          }
        }
      }
    }

    private void tell(Lead other) {
      latest.tell(other);
      earlier.tell(other);
    }
  }

  /** Events of a node with ascending stamps. Guarded by the finder. */
  private final class Track {
    private final Node node;
    private final long[] spanFrom = new long[MAX_SPANS];
    private final long[] spanTo = new long[MAX_SPANS];
    private int spans;
    private long lastHlc = Long.MIN_VALUE;
    private long lastReadingMicros;
    private @Nullable Lead lead;

    Track(Node node) {
      this.node = node;
    }

    /** Adds an event; returns whether it is above the last one. */
    boolean add(long hlc, long readingMicros) {
      if (hlc <= lastHlc) {
        return false;
      }
      follow(hlc, readingMicros);
      lastHlc = hlc;
      lastReadingMicros = readingMicros;
      return true;
    }

    private void follow(long hlc, long readingMicros) {
      long stampMicros = HlcTimestamp.micros(hlc);
      if (stampMicros - readingMicros < LEAST_MICROS) {
        read(stampMicros);
        if (lead != null) {
          lead.end(hlc);
          lead = null;
        }
      } else if (lead != null) {
        lead.end(hlc);
      } else if (lastHlc != Long.MIN_VALUE && lastReadingMicros - readingMicros >= LEAST_MICROS) {
        lead = begin(new Lead(node, hlc, readingMicros));
      }
    }

    /** Notes that a stamp is a reading of the node. */
    private void read(long micros) {
      int last = (spans - 1) % MAX_SPANS;
      if (spans > 0 && micros - spanTo[last] <= SPAN_GAP_MICROS) {
        spanTo[last] = micros;
      } else {
        spanFrom[spans % MAX_SPANS] = micros;
        spanTo[spans % MAX_SPANS] = micros;
        spans++;
      }
      if (micros <= settledMicros) {
        noteOther(node, micros);
      }
    }

    /** Notes the node's readings around the begin of another node's range. */
    private void tell(Lead other) {
      long begin = HlcTimestamp.micros(other.fromHlc);
      for (int i = Math.max(0, spans - MAX_SPANS); i < spans; i++) {
        int span = i % MAX_SPANS;
        other.noteOther(node, spanFrom[span]);
        other.noteOther(
            node, spanFrom[span] <= begin ? Math.min(begin, spanTo[span]) : spanTo[span]);
      }
    }
  }

  /** The events of a node, which is new or known. */
  public synchronized Node node(String name) {
    return nodes.computeIfAbsent(name, Node::new);
  }

  /** Keeps a range that begins, unless it is known already; returns the one to continue. */
  private Lead begin(Lead begun) {
    for (Lead known : leads) {
      if (known.node == begun.node && known.fromHlc == begun.fromHlc) {
        return known;
      }
    }
    if (leads.size() == MAX_RANGES) {
      leads.remove(0);
    }
    leads.add(begun);
    for (Node other : nodes.values()) {
      if (other != begun.node) {
        other.tell(begun);
      }
    }
    settledMicros = Math.max(settledMicros, HlcTimestamp.micros(begun.fromHlc) + SETTLED_MICROS);
    return begun;
  }

  private void noteOther(Node node, long micros) {
    for (int i = leads.size() - 1; i >= 0; i--) {
      Lead lead = leads.get(i);
      if (lead.node != node) {
        lead.noteOther(node, micros);
      }
    }
  }

  /** The ranges found so far, ascending. */
  public synchronized List<Incompleteness> ranges() {
    List<Incompleteness> found = new ArrayList<>();
    for (Lead lead : leads) {
      Ahead ahead = lead.ahead(otherBefore(lead));
      if (ahead != null) {
        found.add(ahead);
      }
    }
    found.sort(Comparator.comparingLong(one -> one.range().from()));
    return found;
  }

  /** The last reading before a range of another node that was not set back until its end. */
  private long otherBefore(Lead lead) {
    long before = Long.MIN_VALUE;
    for (Map.Entry<Node, Long> other : lead.othersBefore.entrySet()) {
      if (!isSetBack(other.getKey(), HlcTimestamp.pack(other.getValue()), lead.toHlc)) {
        before = Math.max(before, other.getValue());
      }
    }
    return before;
  }

  private boolean isSetBack(Node node, long fromHlc, long toHlc) {
    for (Lead lead : leads) {
      if (lead.node == node && lead.fromHlc >= fromHlc && lead.fromHlc <= toHlc) {
        return true;
      }
    }
    return false;
  }
}
