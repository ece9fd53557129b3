// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.cut;

import io.retroscope.blocks.merge.ArrivalWindow;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.LostBlocks;
import io.retroscope.recorder.Recorder;
import io.retroscope.rql.cut.Catalog.LogDescription;
import io.retroscope.rql.cut.Catalog.NodeDescription;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

/**
 * The events as walks over cuts read them, whether in memory or in a store. Thread-safe; an open
 * view does not change while events arrive.
 */
public interface EventSource {
  /** Opens a consistent view, which later events do not change. */
  View open();

  /** A consistent view of the stored events. Used by one thread; must be closed. */
  interface View extends AutoCloseable {
    /** The logs and their variables, ordered by name. */
    List<LogDescription> logs();

    /** Returns whether a log may contain events; false only if it is certainly empty. */
    default boolean mayHold(String log) {
      return true;
    }

    /** All nodes that have ever sent an event or a heartbeat, in natural order. */
    List<NodeDescription> nodes();

    /**
     * The first sighting of each node, heartbeats included, ordered by stamp. Views may return the
     * same list until it changes.
     */
    default List<Sighting> arrivals() {
      return nodes().stream()
          .map(node -> new Sighting(node.name(), node.firstHlc(), 0))
          .sorted(Comparator.comparingLong(Sighting::hlc))
          .toList();
    }

    /**
     * The time for which each node whose clock is ahead of the server's delays live rows, in
     * microseconds; without other nodes.
     */
    default Map<String, Long> heldMicros() {
      return Map.of();
    }

    /**
     * The range from the first to the last stored stamp, heartbeats included; empty if nothing is
     * stored.
     */
    Optional<HlcRange> extent();

    /**
     * The {@link #extent} without the events that only set the state at its start: a part of a
     * recording may have them.
     */
    default Optional<HlcRange> history() {
      long begin =
          reasons(HlcRange.ALL).stream()
              .filter(Incompleteness.Part.class::isInstance)
              .mapToLong(part -> ((Incompleteness.Part) part).stateHlc())
              .max()
              .orElse(HlcTimestamp.MIN_PACKED);
      return extent()
          .map(all -> begin <= all.from() ? all : new HlcRange(begin, Math.max(begin, all.to())));
    }

    /**
     * Returns the events of the given logs with {@code from <= hlc <= to}, ordered by stamp and, at
     * equal stamps, by node in natural order. Starts and stops of nodes are included; heartbeats
     * are not. Two events of a node with one stamp belong to two of its runs; the event of the run
     * that started later comes second.
     */
    Iterator<Event> scan(Set<String> logs, HlcRange range);

    /**
     * Returns the events in the range that matter to a walk, in the order of the other {@code
     * scan}; it may omit others.
     */
    ArrivalWindow scan(Interest interest, HlcRange range);

    /**
     * Returns the events of {@link #scan(Set, HlcRange)}; those of overlapping runs of a node carry
     * their incarnations.
     */
    default Iterator<Event> scanRuns(Set<String> logs, HlcRange range) {
      return scan(logs, range);
    }

    /**
     * Returns events before a stamp that lead a walk to the same state as all events before it: the
     * same values, with the same ages if the interest uses ages, the same variables ever written by
     * state changes, and the same incarnations. They are ordered as in {@code scan}. Events in
     * between may be missing, so only the state after the last one is valid.
     *
     * @param hlc packed, above {@link HlcTimestamp#MIN_PACKED}
     */
    default ArrivalWindow stateBefore(Interest interest, long hlc) {
      return scan(interest, new HlcRange(HlcTimestamp.MIN_PACKED, hlc - 1));
    }

    /**
     * Returns stamps at which a walk over the logs may be split into slices, ascending and above
     * the first stamp of the range; empty if the state at such a stamp cannot be found quickly, or
     * if there are too few events.
     *
     * @param most the largest number of slices
     */
    default long[] sliceBorders(Set<String> logs, HlcRange range, int most) {
      return new long[0];
    }

    /**
     * Opens another view of the same moment, for another thread. Any thread may call it while this
     * view is open.
     *
     * @throws UnsupportedOperationException if the view has no {@link #sliceBorders}
     */
    default View another() {
      throw new UnsupportedOperationException("a view without slices");
    }

    /**
     * Returns the stamps at which each node was seen, heartbeats included, ordered by stamp.
     * Sightings within the time that an earlier one assures may be omitted.
     */
    Iterator<Sighting> sightings(HlcRange range);

    /** The ranges in which each node was seen; by default computed from all sightings. */
    default Collection<Presence> presences() {
      return Presences.of(sightings(HlcRange.ALL));
    }

    /** The ranges in which one node was seen; empty if it never was. */
    default Optional<Presence> presence(String node) {
      return presences().stream().filter(presence -> presence.node().equals(node)).findFirst();
    }

    /**
     * Returns the ranges in which events of a node are lost and which overlap the given range:
     * losses that a sender declared, and gaps in the sequence numbers.
     */
    default List<Gap> gaps(HlcRange range) {
      return List.of();
    }

    /**
     * Returns the reasons why events of the range may be missing or wrong, in addition to gaps and
     * overlaps, as far as they are known; scans may find more.
     */
    default List<Incompleteness> reasons(HlcRange range) {
      return List.of();
    }

    /** The sentences of {@link #reasons}, except for the ends of recordings. */
    default List<String> warnings(HlcRange range) {
      return reasons(range).stream()
          .filter(reason -> !(reason instanceof Incompleteness.AfterEnd))
          .map(Incompleteness::sentence)
          .toList();
    }

    /** Returns everything that is known to be missing in what a query reads. */
    default Completeness completeness(Completeness.Scope scope) {
      Stream<Incompleteness> lost = gaps(scope.known()).stream().map(Incompleteness.Lost::new);
      Stream<Incompleteness> overlapping =
          overlaps(scope.range()).stream().map(Incompleteness.Overlapping::new);
      return new Completeness(
          Stream.of(lost, reasons(scope.known()).stream(), overlapping)
              .flatMap(reasons -> reasons)
              .filter(reason -> reason.concerns(scope))
              .distinct()
              .toList());
    }

    /** How far the events of each node that has not ended are known. */
    default List<NodeFrontier> frontiers() {
      return NodeFrontier.ofSightings(this);
    }

    /**
     * Whether a node may write one of the logs: it has, or it has written no log at all.
     *
     * @param logs their names; empty for any
     */
    default boolean mayWrite(String node, Set<String> logs) {
      Set<String> others = new HashSet<>();
      logs().forEach(log -> others.add(log.name()));
      others.remove(Recorder.OWN_LOG);
      others.removeAll(logs);
      return logs.isEmpty() || others.isEmpty() || has(node, logs) || !has(node, others);
    }

    private boolean has(String node, Set<String> logs) {
      Iterator<Event> events = scan(logs, HlcRange.ALL);
      boolean found = false;
      while (!found && events.hasNext()) {
        Event event = events.next();
        found = event.node().equals(node) && !event.log().isEmpty();
      }
      return found;
    }

    /**
     * Returns the ranges that overlap the given range and in which two runs of a node assigned
     * stamps, so that the order between them is not proven.
     */
    default List<Overlap> overlaps(HlcRange range) {
      return List.of();
    }

    /**
     * The blocks that the scans of this view have read so far; empty if events are not kept in
     * blocks.
     */
    default Optional<BlockCount> blocks() {
      return Optional.empty();
    }

    /**
     * Prepares for several walks that take turns: what one has read stays in memory for the others,
     * within a bound. Such a view finds the state before a stamp as {@link #stateBefore} does by
     * default.
     *
     * @return the stamps at which the walks should wait for each other, ascending; empty if that
     *     saves nothing
     */
    default long[] share() {
      return new long[0];
    }

    /** Prepares for many scans of the same stretch: blocks stay in memory, within a bound. */
    default void keepBlocks() {}

    /**
     * Returns the writes of each variable of a log.
     *
     * @param cancelled checked regularly; after it returns true the result is not meaningful
     */
    default LogWrites writes(String log, BooleanSupplier cancelled) {
      LogWrites writes = new LogWrites();
      Iterator<Event> events = scan(Set.of(log), HlcRange.ALL);
      for (long read = 0; events.hasNext(); read++) {
        if (read % 16_384 == 0 && cancelled.getAsBoolean()) {
          break;
        }
        Event event = events.next();
        if (event.log().equals(log)) {
          writes.add(event);
        }
      }
      return writes;
    }

    /** The clock offsets of the nodes as known for this view. */
    ClockOffsets clockOffsets();

    @Override
    void close();
  }

  /** The maximum promised interval that is taken into account, in microseconds. */
  long MAX_PROMISE_MICROS = 60_000_000;

  /** The number of promised heartbeats that a node may miss before it is silent. */
  int PROMISES_UNTIL_SILENT = 3;

  /** The maximum time for which a promise keeps a node from being silent, in microseconds. */
  long MAX_ASSURED_MICROS = PROMISES_UNTIL_SILENT * MAX_PROMISE_MICROS;

  /**
   * Returns the time for which a node that promised its next heartbeat within {@code promiseMicros}
   * does not count as silent, even if the idle timeout is shorter, in microseconds.
   *
   * @param promiseMicros 0 if the node made no promise
   */
  static long assuredMicros(long promiseMicros) {
    return PROMISES_UNTIL_SILENT * Math.min(promiseMicros, MAX_PROMISE_MICROS);
  }

  /**
   * Returns the promised interval that assures the given time; the inverse of {@link
   * #assuredMicros}.
   */
  static long promiseMicros(long assuredMicros) {
    return (assuredMicros + PROMISES_UNTIL_SILENT - 1) / PROMISES_UNTIL_SILENT;
  }

  /**
   * An event or a heartbeat of a node.
   *
   * @param assuredMicros how long after the stamp the node does not count as silent, even if the
   *     idle timeout is shorter; 0 if the node makes no promise any more; {@link #UNCHANGED} for an
   *     event, after which an earlier promise still holds
   */
  record Sighting(String node, long hlc, long assuredMicros) {
    /** Replaces the assured time of an event. */
    public static final long UNCHANGED = -1;
  }

  /**
   * A range of stamps in which events of a node are lost; cuts there may show older state.
   *
   * @param incarnation the run of the node that recorded the events; empty if it is not known, or
   *     if no other run of the node overlaps it
   * @param eventCount the number of lost events, at least 1; {@link LostBlocks#MAX_EVENTS} means
   *     that many or more
   */
  record Gap(String node, String incarnation, HlcRange range, long eventCount) {
    /** Limits the count, so that no sum of counts overflows. */
    public Gap {
      eventCount = Math.min(eventCount, LostBlocks.MAX_EVENTS);
    }

    /** Creates a gap of an unknown run. */
    public Gap(String node, HlcRange range, long eventCount) {
      this(node, "", range, eventCount);
    }

    /** Returns the same gap for a run of its node; empty for an unknown run. */
    public Gap of(String run) {
      return new Gap(node, run, range, eventCount);
    }

    /** Returns the remainder of this gap without the given losses of its run that are within it. */
    public Optional<Gap> without(Collection<Gap> declared) {
      long known =
          declared.stream()
              .filter(
                  loss ->
                      loss.node.equals(node)
                          && (loss.incarnation.isEmpty() || loss.incarnation.equals(incarnation))
                          && range.contains(loss.range.from())
                          && range.contains(loss.range.to()))
              .mapToLong(Gap::eventCount)
              .sum();
      return known < eventCount
          ? Optional.of(new Gap(node, incarnation, range, eventCount - known))
          : Optional.empty();
    }
  }

  /**
   * A range in which two runs of a node assigned stamps.
   *
   * @param restart whether the later run names the earlier one as its predecessor; if not, two
   *     processes may have used one name
   */
  record Overlap(String node, HlcRange range, boolean restart) {
    /**
     * The overlaps that events show, and those among some reasons, which inputs stated: each node
     * and range once, ascending. It is a restart if the events or an input say so: an input may
     * know the order of the runs from their arrival.
     */
    public static List<Overlap> with(
        Collection<Incompleteness> stated, Collection<Overlap> shown, HlcRange range) {
      Stream<Overlap> known =
          stated.stream()
              .filter(Incompleteness.Overlapping.class::isInstance)
              .map(reason -> ((Incompleteness.Overlapping) reason).overlap());
      TreeMap<Overlap, Overlap> all = new TreeMap<>(BY_NODE_AND_RANGE);
      Stream.concat(shown.stream(), known)
          .filter(overlap -> overlap.range().overlaps(range))
          .forEach(overlap -> all.merge(overlap, overlap, (a, b) -> a.restart ? a : b));
      return List.copyOf(all.values());
    }

    private static final Comparator<Overlap> BY_NODE_AND_RANGE =
        Comparator.comparing(Overlap::node, NaturalOrder.INSTANCE)
            .thenComparingLong(overlap -> overlap.range().from())
            .thenComparingLong(overlap -> overlap.range().to());

    /** A warning about this overlap. */
    public String sentence() {
      HlcTimestamp from = new HlcTimestamp(range.from());
      HlcTimestamp to = new HlcTimestamp(range.to());
      return restart
          ? "node %s: the order across its restart at %s is not proven: its previous run assigned stamps up to %s"
              .formatted(node, from, to)
          : "node %s: two of its runs overlap from %s to %s: two processes may use one name"
              .formatted(node, from, to);
    }
  }

  /**
   * Numbers of blocks of events.
   *
   * @param read blocks that were read from storage or its cache
   * @param skipped all other blocks
   * @param again how often a block was read that had been read before
   */
  record BlockCount(long read, long skipped, long again) {
    /** The sentence for events that are not kept in blocks. */
    public static final String IN_MEMORY = "none, all events are in memory";

    /** Numbers without those of repeated reading, which is not counted. */
    public BlockCount(long read, long skipped) {
      this(read, skipped, 0);
    }

    /** The numbers in the words of EXPLAIN ANALYZE. */
    public String sentence() {
      return "%d read, %d skipped%s"
          .formatted(read, skipped, again == 0 ? "" : ", %d read again".formatted(again));
    }
  }
}
