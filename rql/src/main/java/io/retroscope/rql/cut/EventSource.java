package io.retroscope.rql.cut;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.LostBlocks;
import java.util.Collection;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;

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

    /** Whether anything may have been recorded into a log; false only if nothing was. */
    default boolean mayHold(String log) {
      return true;
    }

    /** All nodes ever heard from, in natural order. */
    List<NodeInfo> nodes();

    /**
     * Where each node was first heard from, heartbeats included, ordered by stamp. Views may hand
     * out the same list as long as it holds.
     */
    default List<Sighting> arrivals() {
      return nodes().stream()
          .map(node -> new Sighting(node.name(), node.firstHlc(), 0))
          .sorted(Comparator.comparingLong(Sighting::hlc))
          .toList();
    }

    /**
     * For how long live rows are held because of each node whose clock is ahead of the server's, in
     * microseconds; other nodes are left out.
     */
    default Map<String, Long> heldMicros() {
      return Map.of();
    }

    /**
     * From the first to the last stored stamp, heartbeats included; empty when nothing is stored.
     */
    Optional<HlcRange> extent();

    /**
     * The events of the given logs with {@code from <= hlc <= to}, ordered by stamp and, at equal
     * stamps, by node in natural order; starts and stops of nodes are among them, heartbeats are
     * not. Two events of a node with one stamp are of two of its runs; that of the run which
     * started later comes second.
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
     * The events as {@link #scan(Set, HlcRange)} gives them, those of runs of a node that overlap
     * others of it with their incarnations.
     */
    default Iterator<Event> scanRuns(Set<String> logs, HlcRange range) {
      return scan(logs, range);
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
     * When each node was heard from, heartbeats included, ordered by stamp. Sightings within the
     * time that an earlier one assures may be left out.
     */
    Iterator<Sighting> sightings(HlcRange range);

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

    /**
     * Stretches that touch the range and in which two runs of a node gave out stamps, so that the
     * order between them is not proven.
     */
    default List<Overlap> overlaps(HlcRange range) {
      return List.of();
    }

    /** What the scans of this view have read so far; empty where events are not kept in blocks. */
    default Optional<BlockCount> blocks() {
      return Optional.empty();
    }

    /**
     * What was written to each variable of a log.
     *
     * @param cancelled asked now and then; what is returned once it is true means nothing
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

    /** The nodes' clock offsets as known for this view. */
    ClockOffsets clockOffsets();

    @Override
    void close();
  }

  /** The longest promised interval that is believed, in microseconds. */
  long MAX_PROMISE_MICROS = 60_000_000;

  /** How many promised heartbeats a node may miss before it is silent. */
  int PROMISES_UNTIL_SILENT = 3;

  /** The longest time that a promise keeps a node from being silent, in microseconds. */
  long MAX_ASSURED_MICROS = PROMISES_UNTIL_SILENT * MAX_PROMISE_MICROS;

  /**
   * For how long a node that promised its next heartbeat within {@code promiseMicros} does not
   * count as silent, however short the idle timeout, in microseconds.
   *
   * @param promiseMicros 0 where the node did not say
   */
  static long assuredMicros(long promiseMicros) {
    return PROMISES_UNTIL_SILENT * Math.min(promiseMicros, MAX_PROMISE_MICROS);
  }

  /** The promised interval that assures so much; the inverse of {@link #assuredMicros}. */
  static long promiseMicros(long assuredMicros) {
    return (assuredMicros + PROMISES_UNTIL_SILENT - 1) / PROMISES_UNTIL_SILENT;
  }

  /**
   * A node was heard from at a stamp.
   *
   * @param assuredMicros for how long after it the node does not count as silent, however short the
   *     idle timeout; 0 or more
   */
  record Sighting(String node, long hlc, long assuredMicros) {}

  /**
   * Events of a node are lost somewhere in a range of stamps: cuts there may show older state.
   *
   * @param incarnation the run of the node that recorded them; empty where it is not known, or
   *     where no other run of the node overlaps it
   * @param eventCount how many, at least 1; {@link LostBlocks#MAX_EVENTS} stands for all that is
   *     more
   */
  record Gap(String node, String incarnation, HlcRange range, long eventCount) {
    /** Bounds the count, so that no sum of counts overflows. */
    public Gap {
      eventCount = Math.min(eventCount, LostBlocks.MAX_EVENTS);
    }

    /** A gap in a run that is not known. */
    public Gap(String node, HlcRange range, long eventCount) {
      this(node, "", range, eventCount);
    }

    /** The same gap as one of a run of its node; empty for one that is not known. */
    public Gap of(String run) {
      return new Gap(node, run, range, eventCount);
    }

    /** What is left of it without losses of its run that lie within it and were told of. */
    public Optional<Gap> without(Collection<Gap> told) {
      long known =
          told.stream()
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
   * Two runs of a node gave out stamps in the same range.
   *
   * @param restart whether the later run names the earlier as its predecessor; if not, two
   *     processes may have used one name
   */
  record Overlap(String node, HlcRange range, boolean restart) {}

  /**
   * Blocks of events.
   *
   * @param read how many were read from storage or its cache
   * @param skipped how many there are besides
   */
  record BlockCount(long read, long skipped) {}

  /** A log and its variables' names, ordered. */
  record LogInfo(String name, List<String> variables, long eventCount) {}

  /**
   * A node.
   *
   * @param forgotten whether it was said not to come back; its events are there all the same
   */
  record NodeInfo(String name, long eventCount, long firstHlc, long lastHlc, boolean forgotten) {
    /** A node that may come back. */
    public NodeInfo(String name, long eventCount, long firstHlc, long lastHlc) {
      this(name, eventCount, firstHlc, lastHlc, false);
    }
  }
}
