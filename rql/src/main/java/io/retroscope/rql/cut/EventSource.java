// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.cut;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.LostBlocks;
import io.retroscope.rql.cut.Catalog.LogDescription;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
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
  interface View extends EventScans, NodeRecords, KnownFaults, AutoCloseable {
    /** The logs and their variables, ordered by name. */
    List<LogDescription> logs();

    /** Returns whether a log may contain events; false only if it is certainly empty. */
    default boolean mayHold(String log) {
      return true;
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
      return LogWrites.mayWrite(this, node, logs);
    }

    /**
     * Returns the writes of each variable of a log.
     *
     * @param cancelled checked regularly; after it returns true the result is not meaningful
     */
    default LogWrites writes(String log, BooleanSupplier cancelled) {
      return LogWrites.of(this, log, cancelled);
    }

    /** The clock offsets of the nodes as known for this view. */
    ClockOffsets clockOffsets();

    /** How several threads can walk the events; empty if one must. */
    default Optional<Slicing> slicing() {
      return Optional.empty();
    }

    /** The reading of the events' blocks; empty if they are not kept in blocks. */
    default Optional<BlockReads> blockReads() {
      return Optional.empty();
    }

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
   *     idle timeout is shorter; 0 if the node makes no promise any more
   * @param isSeen whether the node recorded something at the stamp; false within a range in which
   *     it was never silent for long
   */
  record Sighting(String node, long hlc, long assuredMicros, boolean isSeen) {
    /** The assured time of an event until that of an earlier promise replaces it. */
    public static final long UNCHANGED = -1;

    /** Creates a sighting at a stamp at which the node recorded something. */
    public Sighting(String node, long hlc, long assuredMicros) {
      this(node, hlc, assuredMicros, true);
    }
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
    private static final String IN_MEMORY = "none, all events are in memory";

    /** Numbers without those of repeated reading, which is not counted. */
    public BlockCount(long read, long skipped) {
      this(read, skipped, 0);
    }

    /** The blocks that a view has read so far, in the words of EXPLAIN ANALYZE. */
    public static String sentence(View view) {
      return view.blockReads().map(BlockReads::count).map(BlockCount::sentence).orElse(IN_MEMORY);
    }

    /** The numbers in the words of EXPLAIN ANALYZE. */
    public String sentence() {
      return "%d read, %d skipped%s"
          .formatted(read, skipped, again == 0 ? "" : ", %d read again".formatted(again));
    }
  }
}
