// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store.run;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.EventSource.Sighting;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.NaturalOrder;
import io.retroscope.rql.cut.Presence;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The times at which each node was sighted, as ranges of stamps within which it was never silent
 * for longer than {@link #MAX_GAP_MICROS} or than it had promised. Changed by one thread at a time,
 * read by any.
 */
/*
 * Only the recent ranges of a node are in memory. A node that sends lines without heartbeats has a
 * range for each line, which may be millions. The database has all ranges. An older one changes only
 * if a sighting arrives late: it is changed there at once, after the database was frozen for the
 * views that refer to the ranges before the change.
 */
public final class Lifetimes {
  /** The largest gap between sightings of one range. */
  public static final long MAX_GAP_MICROS = Presence.MAX_GAP_MICROS;

  /** Replaces a promise: the node's previous promise still holds. */
  public static final long NOTHING_PROMISED = -1;

  /** The largest number of ranges of a node in memory once all are in the database. */
  public static final int MAX_RECENT = 24;

  /** The number of ranges that remain when there are more than {@link #MAX_RECENT}. */
  static final int KEPT_RECENT = 12;

  /** The number of older ranges that are read at once. */
  public static final int PAGE = 64;

  private final Stored stored;
  private volatile Snapshot snapshot =
      new Snapshot(PersistentMap.empty(NaturalOrder.INSTANCE), new Arrivals());

  /** The ranges in the database. */
  public interface Older {
    /**
     * Reads ranges of a node, ascending: the last that begins at or before a stamp, and those that
     * follow it.
     *
     * @param below the ranges that begin there or above are left out
     * @return at most {@link #PAGE}; fewer only if there are no more
     */
    List<Lifetime> read(String node, long hlc, long below);
  }

  /** The ranges in the database for the writing thread. */
  public interface Stored extends Older {
    /** Keeps the ranges as they are for the views of the published state. */
    void freeze();

    /** Replaces the ranges with these begins. */
    void replace(String node, List<Long> begins, Lifetime instead);
  }

  public Lifetimes(Stored stored) {
    this.stored = stored;
  }

  /**
   * The end of a range.
   *
   * @param hlc packed, inclusive
   * @param promiseMicros the interval within which the node promised its next sighting; 0 if it
   *     promised none
   */
  public record End(long hlc, long promiseMicros) {
    /** Whether the range includes a later sighting because the node was not silent in between. */
    public boolean reaches(long laterHlc) {
      return reaches(hlc, promiseMicros, laterHlc);
    }

    /** As {@link #reaches(long)}, for the end at a stamp with a promise. */
    public static boolean reaches(long hlc, long promiseMicros, long laterHlc) {
      return Presence.reaches(hlc, EventSource.assuredMicros(promiseMicros), laterHlc);
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
  public record Lifetime(HlcRange range, long promiseMicros) {
    static @Nullable Lifetime orNull(Map.@Nullable Entry<Long, End> entry) {
      return entry == null
          ? null
          : new Lifetime(
              new HlcRange(entry.getKey(), entry.getValue().hlc()),
              entry.getValue().promiseMicros());
    }

    End end() {
      return new End(range.to(), promiseMicros);
    }
  }

  /**
   * The ranges of a node.
   *
   * @param first packed, the begin of the first range, which may be in the database only
   * @param recent the last ranges, at least one
   */
  record Own(long first, PersistentMap<Long, End> recent) {
    /** Packed: ranges that begin below are not in memory. */
    long recentFrom() {
      return recent.first().getKey();
    }

    /** Whether the ranges about a stamp are in the database only. */
    boolean isOlder(long hlc) {
      return hlc < recentFrom() && first < recentFrom();
    }

    private HlcRange span() {
      return new HlcRange(first, recent.last().getValue().hlc());
    }
  }

  /**
   * The result of a sighting: the range that now contains it, and the begins of the ranges that it
   * absorbed.
   */
  public record Touched(Lifetime lifetime, List<Long> removed) {}

  /** Adds the ranges of a node in the database, of which these are the first and the last. */
  public void restore(String node, Lifetime first, Lifetime last) {
    PersistentMap<Long, End> recent = PersistentMap.empty(Comparator.<Long>naturalOrder());
    recent = recent.with(last.range().from(), last.end());
    snapshot = snapshot.with(node, new Own(first.range().from(), recent));
  }

  /**
   * Notes that the node was sighted, without a long silence, from one stamp to another.
   *
   * @param promiseMicros the node's promise at the last of these; 0 if it no longer makes one, or
   *     {@link #NOTHING_PROMISED}
   * @return the change to be stored; empty if it is in the database already
   */
  public Optional<Touched> touch(String node, long firstHlc, long lastHlc, long promiseMicros) {
    Own own = snapshot.nodes.get(node);
    if (own == null) {
      End end = new End(lastHlc, Math.max(0, promiseMicros));
      PersistentMap<Long, End> none = PersistentMap.empty(Comparator.<Long>naturalOrder());
      snapshot = snapshot.with(node, new Own(firstHlc, none.with(firstHlc, end)));
      return Optional.of(touched(firstHlc, end, List.of()));
    }
    NodeLifetimes all = new NodeLifetimes(node, own, stored);
    long from = firstHlc;
    End end = new End(lastHlc, Math.max(0, promiseMicros));
    Lifetime before = all.floor(firstHlc);
    if (before != null && before.end().reaches(firstHlc)) {
      from = before.range().from();
      end = later(before.end(), lastHlc, promiseMicros);
    }
    List<Long> removed = new ArrayList<>();
    Lifetime after = all.higher(from);
    for (;
        after != null && end.reaches(after.range().from());
        after = all.higher(after.range().from())) {
      removed.add(after.range().from());
      end = after.range().to() >= end.hlc() ? after.end().assuredBy(end) : end;
    }
    return replace(node, own, touched(from, end, removed), after);
  }

  private static Touched touched(long from, End end, List<Long> removed) {
    return new Touched(new Lifetime(new HlcRange(from, end.hlc()), end.promiseMicros()), removed);
  }

  /** Replaces ranges of a node; {@code after} is the first one that remains above. */
  private Optional<Touched> replace(
      String node, Own own, Touched touched, @Nullable Lifetime after) {
    long from = touched.lifetime().range().from();
    long first = Math.min(own.first(), from);
    boolean isOlder = own.isOlder(from);
    if (isOlder) {
      stored.freeze();
    }
    if (isOlder && after != null && after.range().from() < own.recentFrom()) {
      stored.replace(node, touched.removed(), touched.lifetime());
      snapshot = snapshot.with(node, new Own(first, own.recent()));
      return Optional.empty();
    }
    PersistentMap<Long, End> recent = own.recent();
    for (Long begin : touched.removed()) {
      recent = recent.without(begin);
    }
    recent = recent.with(from, touched.lifetime().end());
    snapshot = snapshot.with(node, new Own(first, recent));
    return Optional.of(touched);
  }

  private static End later(End before, long lastHlc, long promiseMicros) {
    if (lastHlc < before.hlc()) {
      return before.assuredBy(new End(lastHlc, Math.max(0, promiseMicros)));
    }
    return new End(
        lastHlc, promiseMicros == NOTHING_PROMISED ? before.promiseMicros() : promiseMicros);
  }

  /** Releases the memory of a node's ranges but the last; all must be in the database. */
  public void release(String node) {
    Own own = snapshot.nodes.get(node);
    if (own != null && own.recent().size() > MAX_RECENT) {
      PersistentMap<Long, End> recent = own.recent();
      while (recent.size() > KEPT_RECENT) {
        recent = recent.without(recent.first().getKey());
      }
      snapshot = snapshot.with(node, new Own(own.first(), recent));
    }
  }

  /**
   * Removes the ranges of a node that ended at or before a stamp. They must be removed from the
   * database too.
   *
   * @param keepsLast whether its last range remains in any case
   * @return the begin of the first range that remains, or the highest stamp; empty if nothing
   *     changes
   */
  public OptionalLong removeThrough(String node, long until, boolean keepsLast) {
    Own own = snapshot.nodes.get(node);
    if (own == null) {
      return OptionalLong.empty();
    }
    NodeLifetimes all = new NodeLifetimes(node, own, stored);
    Lifetime last = all.floor(until);
    if (last == null) {
      return OptionalLong.empty();
    }
    Lifetime next = all.higher(last.range().from());
    long first = next == null ? HlcTimestamp.MAX_PACKED : next.range().from();
    if (last.range().to() > until || (next == null && keepsLast)) {
      first = last.range().from();
    }
    if (first == own.first()) {
      return OptionalLong.empty();
    }
    if (own.first() < own.recentFrom()) {
      stored.freeze();
    }
    PersistentMap<Long, End> recent = own.recent();
    while (recent.size() > 0 && recent.first().getKey() < first) {
      recent = recent.without(recent.first().getKey());
    }
    snapshot =
        recent.size() == 0 ? snapshot.without(node) : snapshot.with(node, new Own(first, recent));
    return OptionalLong.of(first);
  }

  /** All current ranges. */
  public Snapshot snapshot() {
    return snapshot;
  }

  /** The ranges of all nodes at one moment. Immutable. */
  public static final class Snapshot {
    private final PersistentMap<String, Own> nodes;
    private final Arrivals arrivals;

    private Snapshot(PersistentMap<String, Own> nodes, Arrivals arrivals) {
      this.nodes = nodes;
      this.arrivals = arrivals;
    }

    private Snapshot with(String node, Own own) {
      Own before = nodes.get(node);
      boolean arrived = before == null || before.first() != own.first();
      return new Snapshot(nodes.with(node, own), arrived ? new Arrivals() : arrivals);
    }

    private Snapshot without(String node) {
      return new Snapshot(nodes.without(node), new Arrivals());
    }

    /** The number of ranges in memory. */
    public long recentCount() {
      long count = 0;
      for (Map.Entry<String, Own> node : nodes) {
        count += node.getValue().recent().size();
      }
      return count;
    }

    /**
     * The nodes with ranges that may have ended at or before a stamp.
     *
     * @param whole whether even the last range of a node counts
     */
    public List<String> beginningBefore(long until, Predicate<String> whole) {
      List<String> nodesBefore = new ArrayList<>();
      for (Map.Entry<String, Own> node : nodes) {
        Own own = node.getValue();
        boolean several = own.first() < own.recent().last().getKey();
        if (own.first() <= until && (several || whole.test(node.getKey()))) {
          nodesBefore.add(node.getKey());
        }
      }
      return nodesBefore;
    }

    /** From the first to the last stamp of any node; empty if there is none. */
    public Optional<HlcRange> extent() {
      long from = Long.MAX_VALUE;
      long to = Long.MIN_VALUE;
      for (Map.Entry<String, Own> node : nodes) {
        HlcRange span = node.getValue().span();
        from = Math.min(from, span.from());
        to = Math.max(to, span.to());
      }
      return nodes.size() == 0 ? Optional.empty() : Optional.of(new HlcRange(from, to));
    }

    /** Passes every node, in natural order, with its first and last stamp to the action. */
    public void forEachNode(BiConsumer<String, HlcRange> action) {
      nodes.forEach(node -> action.accept(node.getKey(), node.getValue().span()));
    }

    /** The first stamp of each node, ascending; the same list until one of them changes. */
    public List<Sighting> arrivals() {
      return arrivals.of(this);
    }

    /** The ranges of all nodes, in natural order; the older ones are read as they are needed. */
    public List<Presence> presences(Older older) {
      List<Presence> presences = new ArrayList<>(nodes.size());
      nodes.forEach(
          node -> presences.add(new NodeLifetimes(node.getKey(), node.getValue(), older)));
      return presences;
    }

    /** The ranges of one node; empty if it has none. */
    public Optional<Presence> presence(String node, Older older) {
      return Optional.ofNullable(nodes.get(node)).map(own -> new NodeLifetimes(node, own, older));
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
