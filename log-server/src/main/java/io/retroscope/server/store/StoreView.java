// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store;

import io.retroscope.blocks.Run;
import io.retroscope.blocks.StoreNames;
import io.retroscope.blocks.merge.ArrivalWindow;
import io.retroscope.blocks.merge.BlockSet;
import io.retroscope.blocks.merge.BlockSource;
import io.retroscope.blocks.merge.EncodedBlocks;
import io.retroscope.blocks.merge.JoinedBlocks;
import io.retroscope.blocks.merge.RowTest;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.event.LostBlocks;
import io.retroscope.recorder.Recorder;
import io.retroscope.rql.cut.BlockReads;
import io.retroscope.rql.cut.Catalog.LogDescription;
import io.retroscope.rql.cut.Catalog.NodeDescription;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.EventSource.BlockCount;
import io.retroscope.rql.cut.EventSource.Gap;
import io.retroscope.rql.cut.EventSource.Overlap;
import io.retroscope.rql.cut.EventSource.Sighting;
import io.retroscope.rql.cut.EventSource.View;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.Incompleteness;
import io.retroscope.rql.cut.Interest;
import io.retroscope.rql.cut.LogWrites;
import io.retroscope.rql.cut.NaturalOrder;
import io.retroscope.rql.cut.NodeFrontier;
import io.retroscope.rql.cut.Presence;
import io.retroscope.rql.cut.Sightings;
import io.retroscope.rql.cut.Slicing;
import io.retroscope.rql.cut.state.StartState;
import io.retroscope.rql.timeline.TimelineBlocks;
import io.retroscope.server.store.StoreState.ReadPoint;
import io.retroscope.server.store.disk.HistoryStart;
import io.retroscope.server.store.run.Incarnation;
import io.retroscope.server.store.run.Lifetimes;
import io.retroscope.server.store.run.RunOverlaps;
import io.retroscope.server.store.run.Runs;
import io.retroscope.server.store.zone.BlockIndex;
import io.retroscope.server.store.zone.BlockZone;
import io.retroscope.server.store.zone.BlockZone.LogZone;
import io.retroscope.server.store.zone.BlockZone.NodeZone;
import io.retroscope.server.store.zone.Quarantine;
import io.retroscope.server.store.zone.SealedParts;
import io.retroscope.server.store.zone.SliceBorders;
import io.retroscope.server.store.zone.ZoneBlocks;
import io.retroscope.server.store.zone.ZoneSource;
import io.retroscope.server.store.zone.ZoneWrites;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * A snapshot of the store. Blocks never change, so that the snapshot requires no lock. Used by one
 * thread.
 */
final class StoreView implements MergeableView, Slicing, TimelineBlocks {
  private final StoreState state;
  private final ReadPoint readPoint;
  private boolean closed;
  private final BlockIndex.Snapshot index;
  private final Lifetimes.Snapshot lifetimes;
  private final List<LostBlocks> lost;
  private final Runs runs;
  private final Comparator<Incarnation.Name> byStart;
  private final Map<String, Set<Incarnation.Name>> overlappingRuns = new HashMap<>();
  private final List<Quarantine.Zone> quarantined;
  private final ClockOffsets clockOffsets;
  private final Supplier<Map<String, Long>> heldMicros;
  private final StoreState.Published published;

  /** The blocks that this view and all others of the same moment have read. */
  private final StoredBlocks.Ids blocksRead;

  StoreView(StoreState state, ClockOffsets clockOffsets, Supplier<Map<String, Long>> heldMicros) {
    this(state, state.enter(), clockOffsets, heldMicros, new StoredBlocks.Ids());
  }

  /** A view of a published state that was entered for it. */
  private StoreView(
      StoreState state,
      StoreState.Published published,
      ClockOffsets clockOffsets,
      Supplier<Map<String, Long>> heldMicros,
      StoredBlocks.Ids blocksRead) {
    this.state = state;
    this.published = published;
    this.readPoint = published.readPoint();
    this.index = published.index();
    this.lifetimes = published.lifetimes();
    this.lost = published.lost();
    this.runs = published.runs();
    this.byStart = RunOverlaps.byStart(runs);
    this.quarantined = published.quarantined();
    this.clockOffsets = clockOffsets;
    this.heldMicros = heldMicros;
    this.blocksRead = blocksRead;
  }

  @Override
  public View another() {
    if (!readPoint.enter()) {
      throw new IllegalStateException("the view is closed");
    }
    return new StoreView(state, published, clockOffsets, heldMicros, blocksRead);
  }

  @Override
  public long[] borders(Set<String> logs, HlcRange range, int most) {
    return index.sliceBorders(logs, range, most);
  }

  @Override
  public Optional<Slicing> slicing() {
    return Optional.of(this);
  }

  @Override
  public List<LogDescription> logs() {
    Map<String, Long> counts = new TreeMap<>();
    Map<String, Set<String>> variables = new TreeMap<>();
    Map<String, List<String>> lastAdded = new HashMap<>();
    for (int i = 0; i < index.size(); i++) {
      for (NodeZone node : index.zone(i).nodes()) {
        for (LogZone log : node.logs()) {
          counts.merge(log.log(), log.eventCount(), Long::sum);
          Set<String> names = variables.computeIfAbsent(log.log(), name -> new TreeSet<>());
          if (lastAdded.put(log.log(), log.variables()) != log.variables()) {
            names.addAll(log.variables());
          }
        }
      }
    }
    List<LogDescription> logs = new ArrayList<>();
    counts.forEach(
        (log, count) ->
            logs.add(
                new LogDescription(
                    log, List.copyOf(variables.getOrDefault(log, Set.of())), count)));
    return logs;
  }

  @Override
  public long quarantinedCount() {
    return published.quarantinedCount();
  }

  @Override
  public long lostEventCount() {
    return published.lostEventCount();
  }

  @Override
  public boolean mayHold(String log) {
    return index.holdsLog(log);
  }

  @Override
  public List<NodeDescription> nodes() {
    Map<String, Long> counts = new TreeMap<>();
    for (int i = 0; i < index.size(); i++) {
      for (NodeZone node : index.zone(i).nodes()) {
        counts.merge(node.node(), node.eventCount(), Long::sum);
      }
    }
    List<NodeDescription> nodes = new ArrayList<>();
    lifetimes.forEachNode(
        (node, span) ->
            nodes.add(
                new NodeDescription(
                    node,
                    counts.getOrDefault(node, 0L),
                    span.from(),
                    span.to(),
                    runs.isForgotten(node))));
    return nodes;
  }

  @Override
  public Map<String, Long> heldMicros() {
    return heldMicros.get();
  }

  @Override
  public List<Sighting> arrivals() {
    return lifetimes.arrivals();
  }

  @Override
  public Optional<HlcRange> extent() {
    return lifetimes.extent();
  }

  /** Imported parts may begin with a state; other nodes have their history before. */
  @Override
  public Optional<HlcRange> history() {
    return extent();
  }

  @Override
  public Iterator<Event> scan(Set<String> logs, HlcRange range) {
    return merge(logs, range, this::whole).events();
  }

  @Override
  public Iterator<Event> scanRuns(Set<String> logs, HlcRange range) {
    return merge(logs, range, this::whole)
        .events(
            (event, block) ->
                event.of(shown(new Incarnation.Name(event.node(), runOf(event, block)))));
  }

  /** A block that a node sent has one run, which its events do not name. */
  private static String runOf(Event event, EventBlock block) {
    return event.incarnation().isEmpty() ? block.incarnation() : event.incarnation();
  }

  /** The node's name, with the incarnation if the event would be ambiguous without it. */
  private String shown(Incarnation.Name run) {
    boolean needed =
        !run.incarnation().isEmpty()
            && overlappingRuns
                .computeIfAbsent(run.node(), node -> RunOverlaps.overlapping(runs.of(node)))
                .contains(run);
    return needed ? run.incarnation() : "";
  }

  @Override
  public ArrivalWindow scan(Interest interest, HlcRange range) {
    BlockSet blocks = blocks(interest, range);
    return new ArrivalWindow(
        blocks.sources(),
        RowTest.ofLogs(interest.logs()),
        range.from(),
        range.to(),
        ties(),
        blocks.join().orElse(null));
  }

  @Override
  public BlockSet blocks(Interest interest, HlcRange range) {
    StoredBlocks.Ahead ahead = state.blocks().ahead(interest, readPoint, blocksRead);
    Function<BlockZone, BlockSource> source =
        zone ->
            new ZoneSource(
                zone,
                any -> any.matters(interest),
                ahead::block,
                any -> state.blocks().longZone(any, readPoint),
                ahead::release);
    List<BlockSource> others = new ArrayList<>();
    if (interest.logs().size() != 1) {
      index
          .overlapping(range, zone -> zone.holdsAnyOf(interest.logs()))
          .forEach(zone -> others.add(source.apply(zone)));
      return new BlockSet(others, Optional.empty());
    }
    String log = interest.logs().iterator().next();
    int[] found = index.overlapping(range, log, zone -> others.add(source.apply(zone)));
    EncodedBlocks arrived = ahead.arrived(index, found, source);
    JoinedBlocks.Rule join =
        new JoinedBlocks.Rule(arrived, log, name -> interest.follows(log, name), ties());
    return new BlockSet(others, Optional.of(join));
  }

  @Override
  public long removedHlc() {
    return published.historyStart().map(HistoryStart::hlc).orElse(Long.MIN_VALUE);
  }

  @Override
  public List<StoredBlock> stored(Interest interest, HlcRange range) {
    return index
        .overlapping(range, zone -> zone.holdsAnyOf(interest.logs()) && zone.matters(interest))
        .stream()
        .sorted(Comparator.comparingLong(BlockZone::firstHlc))
        .<StoredBlock>map(Stored::new)
        .toList();
  }

  @Override
  public List<SliceBorders.Start> sealed(Set<String> logs, HlcRange range) {
    return index.sealed(logs, range);
  }

  @Override
  public StoreNames names() {
    return state.blocks().names().tables();
  }

  /** The bytes of a zone's block. */
  private final class Stored implements StoredBlock {
    private final BlockZone zone;

    Stored(BlockZone zone) {
      this.zone = zone;
    }

    @Override
    public long firstHlc() {
      return zone.firstHlc();
    }

    @Override
    public long lastHlc() {
      return zone.lastHlc();
    }

    @Override
    public long arrival() {
      return zone.id();
    }

    @Override
    public long rowCount() {
      return zone.eventCount();
    }

    @Override
    public boolean isSealed() {
      return zone.isSealed();
    }

    @Override
    public Optional<byte[]> bytes() {
      blocksRead.add(zone.id());
      return state.blocks().bytes(zone, readPoint);
    }
  }

  private ArrivalWindow merge(
      Set<String> logs, HlcRange range, Function<BlockZone, BlockSource> source) {
    List<BlockSource> sources = new ArrayList<>();
    for (BlockZone zone : index.overlapping(range, zone -> zone.holdsAnyOf(logs))) {
      sources.add(source.apply(zone));
    }
    return new ArrivalWindow(sources, RowTest.ofLogs(logs), range.from(), range.to(), ties());
  }

  private BlockSource whole(BlockZone zone) {
    return new ZoneSource(zone, any -> true, this::read);
  }

  @Override
  public List<Run> overlappingRuns() {
    List<Run> overlapping = new ArrayList<>();
    lifetimes.forEachNode(
        (node, span) -> {
          List<Incarnation> own = new ArrayList<>(runs.of(node));
          own.sort(Comparator.comparing(Incarnation::name, byStart));
          long last = Long.MIN_VALUE;
          boolean overlaps = false;
          for (Incarnation run : own) {
            overlaps |= last >= run.startHlc();
            last = Math.max(last, run.lastHlc());
          }
          if (overlaps) {
            own.forEach(run -> overlapping.add(new Run(node, run.name().incarnation())));
          }
        });
    return overlapping;
  }

  private Comparator<Run> ties() {
    return Comparator.comparing(Run::node, NaturalOrder.INSTANCE)
        .thenComparing(run -> new Incarnation.Name(run.node(), run.incarnation()), byStart);
  }

  @Override
  public ArrivalWindow stateBefore(Interest interest, long hlc) {
    ZoneBlocks blocks = new ZoneBlocks(this::read, zone -> state.blocks().writers(zone, readPoint));
    return new StartState<>(interest, hlc, blocks, ties()).rows(index.before(hlc));
  }

  @Override
  public List<Part> parts(HlcRange range) {
    return index.overlapping(range, zone -> true).stream().map(this::part).toList();
  }

  private Part part(BlockZone zone) {
    Set<String> logs = new TreeSet<>();
    Set<String> written = new TreeSet<>();
    if (zone.nodes() instanceof SealedParts sealed) {
      logs.add(sealed.shape().log());
      written.addAll(sealed.shape().written());
    } else {
      for (NodeZone node : zone.nodes()) {
        node.logs().forEach(log -> logs.add(log.log()));
        if (node.lifecycle()) {
          logs.add("");
        }
      }
    }
    return new Part(
        StoredBlocks.key(zone),
        zone.firstHlc(),
        zone.lastHlc(),
        zone.eventCount(),
        logs,
        written,
        () -> zone.nodes().stream().map(NodeZone::node),
        () -> state.blocks().timeline(zone, readPoint),
        () -> read(zone));
  }

  @Override
  public Iterator<Sighting> sightings(HlcRange range) {
    return new Sightings(presences(), range);
  }

  @Override
  public Collection<Presence> presences() {
    return lifetimes.presences(state.olderLifetimes(readPoint));
  }

  @Override
  public Optional<Presence> presence(String node) {
    return lifetimes.presence(node, state.olderLifetimes(readPoint));
  }

  /** Uses the sums of blocks, unless a name was used in two ways: then it reads the events. */
  @Override
  public LogWrites writes(String log, BooleanSupplier cancelled) {
    Map<Long, BlockZone> zones = new HashMap<>();
    for (int i = 0; i < index.size(); i++) {
      if (index.zone(i).holdsLog(log)) {
        zones.put(index.zone(i).id(), index.zone(i));
      }
    }
    LogWrites writes = new LogWrites();
    state.forEachZoneWrites(
        (id, known) -> {
          if (zones.containsKey(id) && !cancelled.getAsBoolean()) {
            known.addTo(log, writes);
            zones.remove(id);
          }
        });
    for (BlockZone zone : zones.values()) {
      if (!cancelled.getAsBoolean()) {
        ZoneWrites.of(read(zone)).addTo(log, writes);
      }
    }
    return writes.isClear() ? writes : MergeableView.super.writes(log, cancelled);
  }

  private EventBlock read(BlockZone zone) {
    blocksRead.add(zone.id());
    return state.blocks().block(zone, readPoint);
  }

  @Override
  public Optional<BlockReads> blockReads() {
    return Optional.of(() -> new BlockCount(blocksRead.size(), index.size() - blocksRead.size()));
  }

  @Override
  public List<Gap> gaps(HlcRange range) {
    List<Gap> gaps = new ArrayList<>();
    for (LostBlocks blocks : lost) {
      if (blocks.eventCount() > 0) {
        gaps.add(gap(blocks));
      }
    }
    Map<Incarnation.Name, List<LostBlocks>> missing = missing();
    for (Incarnation incarnation : runs.holed().values()) {
      String run = incarnation.name().incarnation();
      List<Gap> declared = declaredLost(incarnation.name());
      List<LostBlocks> own = missing.getOrDefault(incarnation.name(), List.of());
      for (Gap gap : incarnation.gaps()) {
        narrowed(gap, own).of(run).without(declared).ifPresent(gaps::add);
      }
    }
    gaps.replaceAll(gap -> gap.of(shown(new Incarnation.Name(gap.node(), gap.incarnation()))));
    gaps.addAll(state.damage().gaps(range));
    gaps.removeIf(gap -> !gap.range().overlaps(range));
    return gaps;
  }

  @Override
  public List<Incompleteness> reasons(HlcRange range) {
    List<Incompleteness> reasons = new ArrayList<>(state.damage().reasons(range));
    // Also for a range after it, which depends on values that were set before.
    state.historyStart().ifPresent(start -> reasons.add(new Incompleteness.Removed(start.hlc())));
    reasons.addAll(quarantined(range));
    published.stated().stream()
        .filter(reason -> reason.range().overlaps(range))
        .filter(reason -> !(reason instanceof Incompleteness.Overlapping))
        .forEach(reasons::add);
    for (Incompleteness end : runs.ends().values()) {
      if (end.range().overlaps(range)) {
        reasons.add(end);
      }
    }
    runs.startedReasons()
        .values()
        .forEach(
            own ->
                own.stream()
                    .filter(reason -> reason.range().overlaps(range))
                    .filter(reason -> !reasons.contains(reason))
                    .forEach(reasons::add));
    clockOffsets.contradictions().stream()
        .filter(reason -> reason.range().overlaps(range) && !reasons.contains(reason))
        .forEach(reasons::add);
    return reasons;
  }

  @Override
  public List<Incompleteness.Ahead> ahead(HlcRange range) {
    return Incompleteness.Ahead.among(clockOffsets.contradictions(), range);
  }

  /** A run that has not ended, or of which blocks may still arrive, is not known to its end. */
  @Override
  public List<NodeFrontier> frontiers() {
    List<NodeFrontier> frontiers = new ArrayList<>();
    runs.forEachUnended(
        run ->
            frontiers.add(
                new NodeFrontier(
                    run.name().node(), run.frontier(), run.assuredMicros(), run.gapCount())));
    return frontiers;
  }

  @Override
  public boolean mayWrite(String node, Set<String> logs) {
    boolean isKnown = false;
    for (int i = 0; i < index.size(); i++) {
      for (NodeZone zone : index.zone(i).nodes()) {
        for (LogZone log : zone.node().equals(node) ? zone.logs() : List.<LogZone>of()) {
          if (logs.contains(log.log())) {
            return true;
          }
          isKnown |= !log.log().equals(Recorder.OWN_LOG);
        }
      }
    }
    return logs.isEmpty() || !isKnown;
  }

  /**
   * The quarantined events of each node that may have happened in the range: by their arrival, or
   * by their stamps if history has reached them.
   */
  private Collection<Incompleteness> quarantined(HlcRange range) {
    long last = extent().map(HlcRange::to).orElse(HlcTimestamp.MIN_PACKED);
    Map<String, Incompleteness.Quarantined> happened = new TreeMap<>(NaturalOrder.INSTANCE);
    Map<String, Incompleteness.Quarantined> stamped = new TreeMap<>(NaturalOrder.INSTANCE);
    for (Quarantine.Zone zone : quarantined) {
      for (NodeZone part : zone.block().nodes()) {
        HlcRange arrival = arrival(part, zone.arrivedHlc());
        HlcRange stamps = new HlcRange(part.firstHlc(), Math.min(last, part.lastHlc()));
        if (arrival.overlaps(range)) {
          add(quarantined(part, arrival, false), happened);
        }
        if (stamps.from() <= last && stamps.overlaps(range)) {
          add(quarantined(part, stamps, true), stamped);
        }
      }
    }
    List<Incompleteness> reasons = new ArrayList<>(happened.values());
    reasons.addAll(stamped.values());
    return reasons;
  }

  private static Incompleteness.Quarantined quarantined(
      NodeZone part, HlcRange range, boolean lasts) {
    return new Incompleteness.Quarantined(
        part.node(), part.eventCount(), range, part.firstHlc(), lasts);
  }

  private static void add(
      Incompleteness.Quarantined reason, Map<String, Incompleteness.Quarantined> byNode) {
    byNode.merge(reason.node(), reason, Incompleteness.Quarantined::and);
  }

  /** The stamps from the node's last one before events arrived, if it was seen, to the arrival. */
  HlcRange arrival(NodeZone part, long arrivedHlc) {
    if (arrivedHlc == EventBlock.NO_HEARTBEAT) {
      return new HlcRange(part.firstHlc(), part.lastHlc());
    }
    long since =
        presence(part.node())
            .flatMap(seen -> seen.latest(arrivedHlc))
            .map(stay -> Math.min(stay.to(), arrivedHlc))
            .orElse(arrivedHlc);
    return new HlcRange(since, arrivedHlc);
  }

  @Override
  public List<Overlap> overlaps(HlcRange range) {
    List<Overlap> shown = runs.overlaps().values().stream().flatMap(List::stream).toList();
    return Overlap.with(published.stated(), shown, range);
  }

  /**
   * A gap in the numbers without its beginning up to which the run had promised that nothing more
   * comes, as the declarations of its missing blocks know.
   */
  private static Gap narrowed(Gap gap, List<LostBlocks> missing) {
    long from =
        missing.stream()
            .mapToLong(LostBlocks::firstHlc)
            .filter(gap.range()::contains)
            .min()
            .orElse(gap.range().from());
    return new Gap(gap.node(), new HlcRange(from, gap.range().to()), gap.eventCount());
  }

  /** The blocks that were declared lost without their senders, which know their events. */
  private Map<Incarnation.Name, List<LostBlocks>> missing() {
    return lost.stream()
        .filter(blocks -> blocks.eventCount() == 0)
        .collect(
            Collectors.groupingBy(
                blocks -> new Incarnation.Name(blocks.node(), blocks.incarnation())));
  }

  /** The blocks of a run that were declared lost. */
  private List<Gap> declaredLost(Incarnation.Name name) {
    return lost.stream()
        .filter(
            blocks ->
                blocks.node().equals(name.node())
                    && blocks.incarnation().equals(name.incarnation()))
        .map(StoreView::gap)
        .toList();
  }

  static Gap gap(LostBlocks lost) {
    return new Gap(
        lost.node(),
        lost.incarnation(),
        new HlcRange(lost.firstHlc(), lost.lastHlc()),
        lost.eventCount());
  }

  @Override
  public ClockOffsets clockOffsets() {
    return clockOffsets;
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      readPoint.leave();
    }
  }
}
