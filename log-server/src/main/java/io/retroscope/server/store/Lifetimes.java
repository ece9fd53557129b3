package io.retroscope.server.store;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.EventSource.Sighting;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.NaturalOrder;
import io.retroscope.rql.cut.Presence;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The times at which each node was sighted, as ranges of stamps within which it was never silent
 * for longer than {@link #MAX_GAP_MICROS} or than it had promised. Changed by one thread at a time,
 * read by any.
 */
final class Lifetimes {
  /** The largest gap between sightings of one range. */
  static final long MAX_GAP_MICROS = Presence.MAX_GAP_MICROS;

  /** Replaces a promise: the node's previous promise still holds. */
  static final long NOTHING_PROMISED = -1;

  private volatile Snapshot snapshot =
      new Snapshot(PersistentMap.empty(NaturalOrder.INSTANCE), new Arrivals());

  /**
   * The end of a range.
   *
   * @param hlc packed, inclusive
   * @param promiseMicros the interval within which the node promised its next sighting; 0 if it
   *     promised none
   */
  record End(long hlc, long promiseMicros) {
    /** Whether the range includes a later sighting because the node was not silent in between. */
    boolean reaches(long laterHlc) {
      return reaches(hlc, promiseMicros, laterHlc);
    }

    /** As {@link #reaches(long)}, for the end at a stamp with a promise. */
    static boolean reaches(long hlc, long promiseMicros, long laterHlc) {
      long allowed = Math.max(MAX_GAP_MICROS, EventSource.assuredMicros(promiseMicros));
      return laterHlc <= hlc || HlcTimestamp.micros(laterHlc) - HlcTimestamp.micros(hlc) <= allowed;
    }

    /** Applies an earlier promise that turns out to extend further. */
    End assuredBy(End earlier) {
      long beyond =
          HlcTimestamp.micros(earlier.hlc)
              + EventSource.assuredMicros(earlier.promiseMicros)
              - HlcTimestamp.micros(hlc);
      return beyond <= EventSource.assuredMicros(promiseMicros)
          ? this
          : new End(hlc, EventSource.promiseMicros(beyond));
    }
  }

  /** A range of stamps; see {@link End}. */
  record Lifetime(HlcRange range, long promiseMicros) {
    private static Lifetime of(Map.Entry<Long, End> entry) {
      End end = entry.getValue();
      return new Lifetime(new HlcRange(entry.getKey(), end.hlc()), end.promiseMicros());
    }
  }

  /**
   * The result of a sighting: the range that now contains it, and the begins of the ranges that it
   * absorbed.
   */
  record Touched(Lifetime lifetime, List<Long> removed) {}

  /** Adds a range that was stored. */
  void restore(String node, Lifetime lifetime) {
    HlcRange range = lifetime.range();
    End end = new End(range.to(), lifetime.promiseMicros());
    snapshot = snapshot.with(node, snapshot.own(node).with(range.from(), end));
  }

  /**
   * Notes that the node was sighted, without a long silence, from one stamp to another.
   *
   * @param promiseMicros the node's promise at the last of these; 0 if it no longer makes one, or
   *     {@link #NOTHING_PROMISED}
   */
  Touched touch(String node, long firstHlc, long lastHlc, long promiseMicros) {
    PersistentMap<Long, End> own = snapshot.own(node);
    long from = firstHlc;
    End end = new End(lastHlc, Math.max(0, promiseMicros));
    Map.Entry<Long, End> before = own.floor(firstHlc);
    if (before != null && before.getValue().reaches(firstHlc)) {
      from = before.getKey();
      end = later(before.getValue(), lastHlc, promiseMicros);
    }
    List<Long> removed = new ArrayList<>();
    for (Map.Entry<Long, End> after = own.higher(from);
        after != null && end.reaches(after.getKey());
        after = own.higher(from)) {
      removed.add(after.getKey());
      end = after.getValue().hlc() >= end.hlc() ? after.getValue().assuredBy(end) : end;
      own = own.without(after.getKey());
    }
    snapshot = snapshot.with(node, own.with(from, end));
    return new Touched(new Lifetime(new HlcRange(from, end.hlc()), end.promiseMicros()), removed);
  }

  /** Removes a range if it ended at or before a stamp; returns whether it did. */
  boolean remove(String node, long from, long until) {
    PersistentMap<Long, End> own = snapshot.own(node);
    End end = own.get(from);
    boolean old = end != null && end.hlc() <= until;
    if (old) {
      snapshot = snapshot.with(node, own.without(from));
    }
    return old;
  }

  private static End later(End before, long lastHlc, long promiseMicros) {
    if (lastHlc < before.hlc()) {
      return before.assuredBy(new End(lastHlc, Math.max(0, promiseMicros)));
    }
    return new End(
        lastHlc, promiseMicros == NOTHING_PROMISED ? before.promiseMicros() : promiseMicros);
  }

  /** All current ranges. */
  Snapshot snapshot() {
    return snapshot;
  }

  /** The ranges of all nodes at one moment. Immutable. */
  static final class Snapshot {
    private final PersistentMap<String, PersistentMap<Long, End>> nodes;
    private final Arrivals arrivals;

    private Snapshot(PersistentMap<String, PersistentMap<Long, End>> nodes, Arrivals arrivals) {
      this.nodes = nodes;
      this.arrivals = arrivals;
    }

    private PersistentMap<Long, End> own(String node) {
      PersistentMap<Long, End> own = nodes.get(node);
      return own == null ? PersistentMap.empty(Comparator.<Long>naturalOrder()) : own;
    }

    private Snapshot with(String node, PersistentMap<Long, End> own) {
      if (own.size() == 0) {
        return new Snapshot(nodes.without(node), new Arrivals());
      }
      PersistentMap<Long, End> before = nodes.get(node);
      boolean arrived = before == null || !before.first().getKey().equals(own.first().getKey());
      return new Snapshot(nodes.with(node, own), arrived ? new Arrivals() : arrivals);
    }

    /** From the first to the last stamp of any node; empty if there is none. */
    Optional<HlcRange> extent() {
      long from = Long.MAX_VALUE;
      long to = Long.MIN_VALUE;
      for (Map.Entry<String, PersistentMap<Long, End>> node : nodes) {
        HlcRange span = span(node.getValue());
        from = Math.min(from, span.from());
        to = Math.max(to, span.to());
      }
      return nodes.size() == 0 ? Optional.empty() : Optional.of(new HlcRange(from, to));
    }

    /** The begin of a node's last range; the node must have one. */
    long lastStart(String node) {
      return own(node).last().getKey();
    }

    /** Passes every node, in natural order, with its first and last stamp to the action. */
    void forEachNode(BiConsumer<String, HlcRange> action) {
      nodes.forEach(node -> action.accept(node.getKey(), span(node.getValue())));
    }

    /** The first stamp of each node, ascending; the same list until one of them changes. */
    List<Sighting> arrivals() {
      return arrivals.of(this);
    }

    /** The ranges of all nodes, in natural order. */
    List<Presence> presences() {
      List<Presence> presences = new ArrayList<>(nodes.size());
      nodes.forEach(node -> presences.add(new Seen(node.getKey(), node.getValue())));
      return presences;
    }

    /** The ranges of one node; empty if it has none. */
    Optional<Presence> presence(String node) {
      return Optional.ofNullable(nodes.get(node)).map(own -> new Seen(node, own));
    }

    /** Passes the ranges of each node that touch a range, ascending, to the action. */
    void forEachTouching(HlcRange range, BiConsumer<String, List<Lifetime>> action) {
      nodes.forEach(
          node -> {
            List<Lifetime> touching = touching(node.getValue(), range);
            if (!touching.isEmpty()) {
              action.accept(node.getKey(), touching);
            }
          });
    }

    private static List<Lifetime> touching(PersistentMap<Long, End> own, HlcRange range) {
      Map.Entry<Long, End> before = own.floor(range.from());
      long first =
          before != null && before.getValue().hlc() >= range.from()
              ? before.getKey()
              : range.from();
      List<Lifetime> touching = new ArrayList<>(1);
      for (var entries = own.from(first); entries.hasNext(); ) {
        Map.Entry<Long, End> entry = entries.next();
        if (entry.getKey() > range.to()) {
          break;
        }
        touching.add(Lifetime.of(entry));
      }
      return touching;
    }

    /** The ranges of a node, ascending. */
    List<Lifetime> of(String node) {
      return touching(own(node), HlcRange.ALL);
    }

    private static HlcRange span(PersistentMap<Long, End> own) {
      return new HlcRange(own.first().getKey(), own.last().getValue().hlc());
    }
  }

  /** The ranges of one node. */
  private record Seen(String node, PersistentMap<Long, End> ranges) implements Presence {
    @Override
    public Optional<Stay> latest(long hlc) {
      return Optional.ofNullable(ranges.floor(hlc)).map(Seen::stay);
    }

    @Override
    public Iterator<Stay> from(long hlc) {
      Iterator<Map.Entry<Long, End>> entries = ranges.from(hlc);
      return new Iterator<>() {
        @Override
        public boolean hasNext() {
          return entries.hasNext();
        }

        @Override
        public Stay next() {
          return stay(entries.next());
        }
      };
    }

    private static Stay stay(Map.Entry<Long, End> entry) {
      End end = entry.getValue();
      return new Stay(entry.getKey(), end.hlc(), EventSource.assuredMicros(end.promiseMicros()));
    }
  }

  /** A list that is created on first use and stays valid until another node arrives. */
  private static final class Arrivals {
    private volatile @Nullable List<Sighting> list;

    List<Sighting> of(Snapshot snapshot) {
      List<Sighting> made = list;
      if (made == null) {
        List<Sighting> all = new ArrayList<>(snapshot.nodes.size());
        snapshot.forEachNode((node, span) -> all.add(new Sighting(node, span.from(), 0)));
        all.sort(Comparator.comparingLong(Sighting::hlc));
        made = List.copyOf(all);
        list = made;
      }
      return made;
    }
  }
}
