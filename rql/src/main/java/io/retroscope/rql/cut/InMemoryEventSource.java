// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.cut;

import io.retroscope.blocks.Run;
import io.retroscope.blocks.merge.ArrivalWindow;
import io.retroscope.blocks.merge.BlockSource;
import io.retroscope.blocks.merge.RowTest;
import io.retroscope.blocks.zone.LongZone;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBlockBuilder;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventKind;
import io.retroscope.rql.cut.Catalog.LogDescription;
import io.retroscope.rql.cut.Catalog.NodeDescription;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** A fixed collection of events in memory, from a file or a test. Immutable. */
public final class InMemoryEventSource implements EventSource {
  /* The zones of smaller blocks answer for more of the history, but each takes a microsecond. */
  private static final int BLOCK_EVENTS = 2_048;

  /** The most events of a block, however many have one stamp. */
  private static final int MAX_BLOCK_EVENTS = 2 * BLOCK_EVENTS;

  /** The most blocks that are filled at the same time: each takes 15 kB before its first event. */
  private static final int MAX_OPEN_BLOCKS = 256;

  private static final Comparator<Event> BY_STAMP_AND_NODE =
      Comparator.comparingLong(Event::hlc).thenComparing(Event::node, NaturalOrder.INSTANCE);

  /** With fewer writes per node, a zone does not save anything. */
  private static final int MIN_ZONE_WRITES = 8;

  private final List<HeldBlock> blocks;
  private final List<Event> heartbeats;
  private final Comparator<Run> ties;
  private final ClockOffsets clockOffsets;
  private final List<LogDescription> logs;
  private final List<NodeDescription> nodes;
  private final List<Gap> gaps;
  private final List<Incompleteness> reasons;
  private final List<Presence> presences;
  private final List<Overlap> overlaps;
  private final Optional<HlcRange> extent;

  /**
   * Creates a source of events, which may be in any order.
   *
   * @param clockOffsets the known clock offsets of the nodes
   */
  public InMemoryEventSource(Collection<Event> events, ClockOffsets clockOffsets) {
    this(events, List.of(), List.of(), clockOffsets);
  }

  /**
   * Creates a source of events, which may be in any order.
   *
   * @param losses ranges in which events are known to be lost; gaps in the sequence numbers are
   *     found in addition
   * @param reasons why the events may be incomplete besides
   * @param clockOffsets the known clock offsets of the nodes
   */
  public InMemoryEventSource(
      Collection<Event> events,
      Collection<Gap> losses,
      Collection<Incompleteness> reasons,
      ClockOffsets clockOffsets) {
    List<Event> sorted = new ArrayList<>(events);
    Map<Run, Long> starts = startsOf(sorted);
    sorted.sort(
        BY_STAMP_AND_NODE.thenComparingLong(event -> starts.getOrDefault(runOf(event), 0L)));
    this.blocks = blocksOf(sorted).stream().map(HeldBlock::of).toList();
    this.heartbeats = sorted.stream().filter(InMemoryEventSource::isHeartbeat).toList();
    this.ties =
        Comparator.comparing(Run::node, NaturalOrder.INSTANCE)
            .thenComparingLong(run -> starts.getOrDefault(run, 0L));
    this.clockOffsets = clockOffsets;
    this.logs = logsOf(sorted);
    this.nodes = nodesOf(sorted);
    this.gaps = gapsOf(sorted, losses);
    this.reasons = withContradictions(reasons, sorted);
    this.presences = presencesOf(sorted);
    this.overlaps = Overlap.with(reasons, overlapsOf(sorted), HlcRange.ALL);
    this.extent =
        sorted.isEmpty()
            ? Optional.empty()
            : Optional.of(new HlcRange(sorted.get(0).hlc(), sorted.get(sorted.size() - 1).hlc()));
  }

  /**
   * The reasons, with those that the stamps and messages show unless they were reported already.
   */
  private static List<Incompleteness> withContradictions(
      Collection<Incompleteness> reasons, List<Event> events) {
    MessageOrder order = new MessageOrder();
    StampsAhead ahead = new StampsAhead();
    for (Event event : events) {
      order.add(event);
      ahead.node(event.node()).add(event.hlc(), event.physicalMicros());
    }
    Set<Incompleteness> all = new LinkedHashSet<>(reasons);
    all.removeIf(Incompleteness.Overlapping.class::isInstance); // They are among the overlaps.
    all.addAll(order.contradictions());
    all.addAll(ahead.ranges());
    return List.copyOf(all);
  }

  @Override
  public View open() {
    return new MemoryView();
  }

  /** The events in blocks, in the order of their first stamps, without heartbeats. */
  public List<EventBlock> blocks() {
    return blocks.stream().map(HeldBlock::block).toList();
  }

  /**
   * A block, with what a scan has to know of it, so that a block that is passed over is not
   * touched.
   *
   * @param firstHlc packed, the lowest stamp
   * @param lastHlc packed, the highest stamp
   * @param hasLifetimes whether there are starts or stops of nodes
   * @param longZone what the rows do to a state, if that is known
   */
  private record HeldBlock(
      EventBlock block,
      long firstHlc,
      long lastHlc,
      List<String> logs,
      boolean hasLifetimes,
      @Nullable LongZone longZone)
      implements BlockSource {
    static HeldBlock of(EventBlock block) {
      LongZone zone = LongZone.of(block, MIN_ZONE_WRITES).orElse(null);
      return new HeldBlock(
          block,
          block.firstHlc(),
          block.lastHlc(),
          block.logs(),
          zone == null && hasLifetimes(block),
          zone);
    }

    private static boolean hasLifetimes(EventBlock block) {
      for (int row = 0; row < block.size(); row++) {
        if (block.kind(row) == EventKind.START || block.kind(row) == EventKind.STOP) {
          return true;
        }
      }
      return false;
    }

    /** Whether a scan of the logs, which includes starts and stops, may return a row. */
    boolean matters(Set<String> wanted) {
      for (int i = 0; i < logs.size(); i++) {
        if (wanted.contains(logs.get(i))) {
          return true;
        }
      }
      return hasLifetimes;
    }

    @Override
    public EventBlock read() {
      return block;
    }
  }

  private static Run runOf(Event event) {
    return new Run(event.node(), event.incarnation());
  }

  private static boolean isHeartbeat(Event event) {
    return event.body() instanceof EventBody.Heartbeat;
  }

  /**
   * Returns blocks of the events, without heartbeats, in the order of their first stamps. A block
   * has events of one incarnation.
   */
  private static List<EventBlock> blocksOf(List<Event> sorted) {
    List<EventBlock> blocks = new ArrayList<>();
    Map<String, Filling> open = new LinkedHashMap<>(16, 0.75F, true); // the latest used at the end
    for (Event event : sorted) {
      if (!isHeartbeat(event)) {
        if (open.size() == MAX_OPEN_BLOCKS && !open.containsKey(event.incarnation())) {
          Iterator<Filling> oldest = open.values().iterator();
          oldest.next().end();
          oldest.remove();
        }
        open.computeIfAbsent(event.incarnation(), incarnation -> new Filling(incarnation, blocks))
            .add(event);
      }
    }
    open.values().forEach(Filling::end);
    blocks.sort(Comparator.comparingLong(EventBlock::firstHlc));
    return List.copyOf(blocks);
  }

  /** The block of an incarnation's next events. */
  private static final class Filling {
    private final String incarnation;
    private final List<EventBlock> blocks;
    private final EventBlockBuilder builder = new EventBlockBuilder();
    private long lastHlc;

    Filling(String incarnation, List<EventBlock> blocks) {
      this.incarnation = incarnation;
      this.blocks = blocks;
    }

    /** Adds an event; blocks that share a stamp would overlap, and zones answer for neither. */
    void add(Event event) {
      boolean isFull = builder.size() >= BLOCK_EVENTS && event.hlc() != lastHlc;
      if (isFull || builder.size() == MAX_BLOCK_EVENTS) {
        end();
      }
      builder.add(event);
      lastHlc = event.hlc();
    }

    void end() {
      if (builder.size() > 0) {
        blocks.add(builder.incarnation(incarnation, 0).buildAsAdded().keepingColumns());
        builder.clear();
      }
    }
  }

  /** Returns the first stamp of each run that events name. */
  private static Map<Run, Long> startsOf(List<Event> events) {
    Map<Run, Long> starts = new HashMap<>();
    for (Event event : events) {
      if (!event.incarnation().isEmpty()) {
        starts.merge(runOf(event), event.hlc(), Math::min);
      }
    }
    return starts;
  }

  private static List<LogDescription> logsOf(List<Event> events) {
    Map<String, TreeSet<String>> variables = new TreeMap<>();
    Map<String, Long> counts = new TreeMap<>();
    for (Event event : events) {
      if (!event.log().isEmpty()) {
        counts.merge(event.log(), 1L, Long::sum);
        addVariables(event.body(), variables.computeIfAbsent(event.log(), log -> new TreeSet<>()));
      }
    }
    List<LogDescription> result = new ArrayList<>();
    variables.forEach(
        (log, names) ->
            result.add(new LogDescription(log, List.copyOf(names), counts.getOrDefault(log, 0L))));
    return List.copyOf(result);
  }

  private static void addVariables(EventBody body, Set<String> variables) {
    if (body instanceof EventBody.StateChange change) {
      change.changes().forEach(c -> variables.add(c.variable()));
    }
    variables.addAll(MomentaryVariables.of(body).keySet());
  }

  private static List<NodeDescription> nodesOf(List<Event> events) {
    Map<String, NodeDescription> nodes = new TreeMap<>(NaturalOrder.INSTANCE);
    for (Event event : events) {
      int count = event.body() instanceof EventBody.Heartbeat ? 0 : 1;
      nodes.merge(
          event.node(),
          new NodeDescription(event.node(), count, event.hlc(), event.hlc()),
          (a, b) ->
              new NodeDescription(
                  a.name(), a.eventCount() + b.eventCount(), a.firstHlc(), b.lastHlc()));
    }
    return List.copyOf(nodes.values());
  }

  private static List<Gap> gapsOf(List<Event> events, Collection<Gap> losses) {
    Map<Run, SequenceGaps> sequences = new LinkedHashMap<>();
    for (Event event : events) {
      if (event.body() instanceof EventBody.Start start) {
        sequencesOf(event, sequences).started(event.hlc(), start.incarnation());
      }
      long number = event.sequence();
      if (number != Event.NO_SEQUENCE) {
        sequencesOf(event, sequences).seen(number, number, event.hlc(), event.hlc());
      }
    }
    List<Gap> gaps = new ArrayList<>(losses);
    sequences.forEach(
        (run, own) ->
            own.gaps()
                .forEach(gap -> gap.of(run.incarnation()).without(losses).ifPresent(gaps::add)));
    return List.copyOf(gaps);
  }

  private static SequenceGaps sequencesOf(Event event, Map<Run, SequenceGaps> sequences) {
    return sequences.computeIfAbsent(
        runOf(event), run -> new SequenceGaps(run.node(), SequenceGaps.State.EMPTY));
  }

  private static List<Presence> presencesOf(List<Event> events) {
    Presences presences = new Presences();
    events.forEach(event -> presences.see(event.node(), event.hlc(), assured(event.body())));
    return presences.all();
  }

  /** Events of runs that are named can be attributed to a run; others show it by their starts. */
  private static List<Overlap> overlapsOf(List<Event> events) {
    Map<Run, RunSpan> spans = new LinkedHashMap<>();
    Map<String, OpenStarts> starts = new TreeMap<>(NaturalOrder.INSTANCE);
    for (Event event : events) {
      if (event.incarnation().isEmpty() && !isHeartbeat(event)) {
        String started = event.body() instanceof EventBody.Start s ? s.incarnation() : "";
        starts
            .computeIfAbsent(event.node(), OpenStarts::new)
            .add(event.body().kind(), event.hlc(), started);
      } else if (!event.incarnation().isEmpty()) {
        String predecessor = event.body() instanceof EventBody.Start s ? s.predecessor() : "";
        spans.merge(
            runOf(event),
            new RunSpan(
                event.node(),
                event.incarnation(),
                new HlcRange(event.hlc(), event.hlc()),
                predecessor),
            (before, next) ->
                new RunSpan(
                    before.node(),
                    before.incarnation(),
                    new HlcRange(before.range().from(), next.range().to()),
                    before.predecessor() + next.predecessor()));
      }
    }
    List<Overlap> overlaps = new ArrayList<>(RunSpan.overlaps(spans.values()));
    starts.values().forEach(own -> overlaps.addAll(own.overlaps()));
    return overlaps;
  }

  private static long assured(EventBody body) {
    return body instanceof EventBody.Heartbeat heartbeat
        ? EventSource.assuredMicros(heartbeat.promiseMicros())
        : Sighting.UNCHANGED;
  }

  private final class MemoryView implements View {
    @Override
    public List<LogDescription> logs() {
      return logs;
    }

    @Override
    public boolean mayHold(String log) {
      return logs.stream().anyMatch(known -> known.name().equals(log));
    }

    @Override
    public List<NodeDescription> nodes() {
      return nodes;
    }

    @Override
    public Optional<HlcRange> extent() {
      return extent;
    }

    @Override
    public Iterator<Event> scan(Set<String> logs, HlcRange range) {
      return window(logs, range).events();
    }

    @Override
    public ArrivalWindow scan(Interest interest, HlcRange range) {
      return window(interest.logs(), range);
    }

    private ArrivalWindow window(Set<String> logs, HlcRange range) {
      return merge(RowTest.ofLogs(logs), block -> block.matters(logs), range);
    }

    @Override
    public Iterator<Sighting> sightings(HlcRange range) {
      List<Sighting> sightings = new ArrayList<>();
      merge(block -> row -> true, block -> true, new HlcRange(HlcTimestamp.MIN_PACKED, range.to()))
          .events()
          .forEachRemaining(
              event -> sightings.add(new Sighting(event.node(), event.hlc(), Sighting.UNCHANGED)));
      for (Event beat : heartbeats) {
        if (beat.hlc() <= range.to()) {
          sightings.add(new Sighting(beat.node(), beat.hlc(), assured(beat.body())));
        }
      }
      sightings.sort(Comparator.comparingLong(Sighting::hlc));
      Map<String, Sighting> last = new HashMap<>();
      sightings.replaceAll(seen -> withPromise(seen, last));
      sightings.removeIf(seen -> !range.contains(seen.hlc()));
      return sightings.iterator();
    }

    /** After an event, an earlier promise still holds, unless it was broken before. */
    private static Sighting withPromise(Sighting seen, Map<String, Sighting> last) {
      Sighting before = last.get(seen.node());
      long assured = 0;
      if (seen.assuredMicros() != Sighting.UNCHANGED) {
        assured = seen.assuredMicros();
      } else if (before != null
          && Presence.reaches(before.hlc(), before.assuredMicros(), seen.hlc())) {
        assured = before.assuredMicros();
      }
      Sighting promised = new Sighting(seen.node(), seen.hlc(), assured);
      last.put(seen.node(), promised);
      return promised;
    }

    @Override
    public Collection<Presence> presences() {
      return presences;
    }

    private ArrivalWindow merge(RowTest wanted, Predicate<HeldBlock> matters, HlcRange range) {
      List<BlockSource> overlapping = new ArrayList<>();
      for (HeldBlock block : blocks) {
        boolean overlaps = block.firstHlc() <= range.to() && block.lastHlc() >= range.from();
        if (overlaps && matters.test(block)) {
          overlapping.add(block);
        }
      }
      return new ArrivalWindow(overlapping, wanted, range.from(), range.to(), ties);
    }

    @Override
    public List<Gap> gaps(HlcRange range) {
      return gaps.stream().filter(gap -> gap.range().overlaps(range)).toList();
    }

    @Override
    public List<Overlap> overlaps(HlcRange range) {
      return overlaps.stream().filter(overlap -> overlap.range().overlaps(range)).toList();
    }

    @Override
    public List<Incompleteness> reasons(HlcRange range) {
      return reasons;
    }

    @Override
    public ClockOffsets clockOffsets() {
      return clockOffsets;
    }

    @Override
    public void close() {}
  }
}
