package io.retroscope.rql.cut;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import java.util.Collection;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What a walk over cuts asks of storage. Implemented by whoever holds events. Thread-safe; a view
 * that was opened stays as it is while events arrive.
 */
public interface EventSource {
  /** A consistent view: nothing that arrives later changes it. */
  View open();

  /** One consistent view of the stored events. Used by one thread; close it. */
  interface View extends AutoCloseable {
    /** The logs and their variables, ordered by name. */
    List<LogInfo> logs();

    /** All nodes ever heard from, in natural order. */
    List<NodeInfo> nodes();

    /** Where each node was first heard from, heartbeats included, ordered by stamp. */
    default List<Sighting> arrivals() {
      return nodes().stream()
          .map(node -> new Sighting(node.name(), node.firstHlc()))
          .sorted(Comparator.comparingLong(Sighting::hlc))
          .toList();
    }

    /**
     * From the first to the last stored stamp, heartbeats included; empty when nothing is stored.
     */
    Optional<HlcRange> extent();

    /**
     * The events of the given logs with {@code from <= hlc <= to}, ordered by stamp and, at equal
     * stamps, by node in natural order; starts and stops of nodes are among them, heartbeats are
     * not.
     */
    Iterator<Event> scan(Set<String> logs, HlcRange range);

    /**
     * The events in the range that a walk has to hear of, ordered as those of the other {@code
     * scan}; it may leave out others.
     */
    default Iterator<Event> scan(Interest interest, HlcRange range) {
      return scan(interest.logs(), range);
    }

    /**
     * Some of the events before a stamp that lead a walk to the state to which all of them lead it:
     * the same values, as old where it asks for ages, the same variables that state changes ever
     * wrote, and the same incarnations. Ordered as those of {@code scan}; what lies between two of
     * them may be missing, so only the state behind the last one is true.
     *
     * @param hlc packed, above {@link HlcTimestamp#MIN_PACKED}
     */
    default Iterator<Event> stateBefore(Interest interest, long hlc) {
      return scan(interest.logs(), new HlcRange(HlcTimestamp.MIN_PACKED, hlc - 1));
    }

    /**
     * The stamps at which each node was heard from, heartbeats included, thinned out so that none
     * is further than {@code resolutionMicros} from the next one left out.
     */
    Iterator<Sighting> sightings(HlcRange range, long resolutionMicros);

    /**
     * Stretches in which events of a node are lost, and which touch the range: what a sender
     * declared lost, and holes in the sequence numbers.
     */
    default List<Gap> gaps(HlcRange range) {
      return List.of();
    }

    /**
     * Sentences that an answer over the range must carry besides its gaps, as far as they are known
     * so far: scans may find more.
     */
    default List<String> warnings(HlcRange range) {
      return List.of();
    }

    /** What the scans of this view have read so far; empty where events are not kept in blocks. */
    default Optional<BlockCount> blocks() {
      return Optional.empty();
    }

    /** The nodes' clock offsets as known for this view. */
    ClockOffsets clockOffsets();

    @Override
    void close();
  }

  /** A node was heard from at a stamp. */
  record Sighting(String node, long hlc) {}

  /**
   * Events of a node are lost somewhere in a range of stamps: cuts there may show older state.
   *
   * @param eventCount how many, at least 1
   */
  record Gap(String node, HlcRange range, long eventCount) {
    /** What is left of it without losses of the node that lie within it and were told of. */
    public Optional<Gap> without(Collection<Gap> told) {
      long known =
          told.stream()
              .filter(
                  loss ->
                      loss.node.equals(node)
                          && range.contains(loss.range.from())
                          && range.contains(loss.range.to()))
              .mapToLong(Gap::eventCount)
              .sum();
      return known < eventCount
          ? Optional.of(new Gap(node, range, eventCount - known))
          : Optional.empty();
    }
  }

  /**
   * Blocks of events.
   *
   * @param read how many were read from storage or its cache
   * @param skipped how many there are besides
   */
  record BlockCount(long read, long skipped) {}

  /** A log and its variables' names, ordered. */
  record LogInfo(String name, List<String> variables, long eventCount) {}

  /** A node. */
  record NodeInfo(String name, long eventCount, long firstHlc, long lastHlc) {}
}
