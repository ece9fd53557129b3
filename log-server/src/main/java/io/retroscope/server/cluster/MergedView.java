// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.cluster;

import io.retroscope.blocks.Run;
import io.retroscope.blocks.merge.ArrivalWindow;
import io.retroscope.blocks.merge.BlockSet;
import io.retroscope.blocks.merge.BlockSets;
import io.retroscope.blocks.merge.RowTest;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
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
import io.retroscope.rql.cut.NaturalOrder;
import io.retroscope.rql.cut.NodeFrontier;
import io.retroscope.rql.cut.Presence;
import io.retroscope.rql.cut.Sightings;
import io.retroscope.rql.cut.Slicing;
import io.retroscope.rql.timeline.Tile;
import io.retroscope.rql.timeline.TileJoin;
import io.retroscope.rql.timeline.TileMaker;
import io.retroscope.server.cluster.PartView.Doubts;
import io.retroscope.server.cluster.PartView.Facts;
import io.retroscope.server.cluster.PartView.Scan;
import io.retroscope.server.store.EventStore;
import io.retroscope.server.store.zone.SliceBorders;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Stream;

/** A view of all partitions, of which each has all events of its nodes. Used by one thread. */
final class MergedView implements View, Slicing {
  /** Nothing is known about the clocks. */
  static final Incompleteness UNALIGNED =
      new Incompleteness.Reported(
          "clocks are not aligned yet, because a server reads the stored events of a partition:"
              + " stamps that contradict messages, or that are ahead of every clock, are not found");

  /**
   * The smallest number of events here of a slice. Another server opens all partitions for it, and
   * each of them finds its state at the start, which costs more than it saves for fewer events.
   */
  private static final long MIN_SLICE_EVENTS = 1_000_000;

  private static final String SAMPLED =
      "of the messages up to %s, a cluster compares a sample: not all stamps that contradict"
          + " messages are found";

  private final PartThreads threads;
  private final List<PartView> parts;
  private final ViewClocks clocks;
  private final Function<MergedView, List<Host>> hosts;
  private final List<Facts> facts;
  private final Map<Run, Integer> ranks = new HashMap<>();
  private final Map<HlcRange, List<Doubts>> doubts = new HashMap<>();
  private final List<PieceFeed> feeds = new ArrayList<>();
  private Optional<List<Presence>> presences = Optional.empty();
  private Optional<ClockOffsets> offsets = Optional.empty();

  /**
   * A view that closes its parts.
   *
   * @param clocks aligns those of its nodes
   */
  MergedView(PartThreads threads, List<PartView> parts, ViewClocks clocks) {
    this(threads, parts, clocks, view -> List.of());
  }

  /**
   * Like the other constructor.
   *
   * @param hosts the servers that can walk slices, of a view; called by any thread
   */
  MergedView(
      PartThreads threads,
      List<PartView> parts,
      ViewClocks clocks,
      Function<MergedView, List<Host>> hosts) {
    this.hosts = hosts;
    this.threads = threads;
    this.clocks = clocks;
    this.parts = List.copyOf(parts);
    this.facts = parts.stream().map(PartView::facts).toList();
    facts.stream()
        .flatMap(own -> own.overlapping().stream())
        .forEach(run -> ranks.put(run, ranks.size()));
  }

  /**
   * Whether this has exactly the events of the view whose slice is wanted: with other records, or
   * another start of history, its slices would not fit together.
   */
  boolean hasEventsOf(SliceOpening wanted) {
    return isExact() && contents().equals(List.copyOf(wanted.parts().values()));
  }

  /** Whether it is known which records this contains; they may have arrived just then. */
  boolean isExact() {
    return facts.stream().noneMatch(own -> own.offset() == Facts.NO_OFFSET);
  }

  /** The contents of the partitions, in their order. */
  List<SliceOpening.Content> contents() {
    return facts.stream()
        .map(own -> new SliceOpening.Content(own.offset(), own.removedHlc()))
        .toList();
  }

  private <T> List<T> all(Function<Facts, List<T>> list) {
    return facts.stream().flatMap(own -> list.apply(own).stream()).toList();
  }

  /**
   * A tile of the timeline of all partitions.
   *
   * @throws TileMaker.TooLargeException if it has too many nodes
   */
  Tile tile(TileRequest wanted) {
    return TileJoin.of(
        wanted.address(),
        threads.each(parts, part -> part.tile(wanted)),
        wanted.limits(),
        wanted.variables());
  }

  /** The number of events in quarantine. */
  long quarantinedCount() {
    return facts.stream().mapToLong(Facts::quarantined).sum();
  }

  /** The number of events that senders declared lost, or the largest number if it is larger. */
  long lostCount() {
    return EventStore.saturatedSum(facts.stream().mapToLong(Facts::lost));
  }

  @Override
  public List<LogDescription> logs() {
    Map<String, LogDescription> byName = new TreeMap<>();
    for (LogDescription log : all(Facts::logs)) {
      byName.merge(log.name(), log, MergedView::sum);
    }
    return List.copyOf(byName.values());
  }

  private static LogDescription sum(LogDescription a, LogDescription b) {
    TreeSet<String> variables = new TreeSet<>(a.variables());
    variables.addAll(b.variables());
    return new LogDescription(a.name(), List.copyOf(variables), a.eventCount() + b.eventCount());
  }

  @Override
  public boolean mayHold(String log) {
    return facts.stream().flatMap(own -> own.logs().stream()).anyMatch(l -> l.name().equals(log));
  }

  @Override
  public List<NodeDescription> nodes() {
    return all(Facts::nodes).stream()
        .sorted(Comparator.comparing(NodeDescription::name, NaturalOrder.INSTANCE))
        .toList();
  }

  @Override
  public List<Sighting> arrivals() {
    return all(Facts::arrivals).stream()
        .sorted(
            Comparator.comparingLong(Sighting::hlc)
                .thenComparing(Sighting::node, NaturalOrder.INSTANCE))
        .toList();
  }

  @Override
  public Optional<HlcRange> extent() {
    return facts.stream()
        .flatMap(own -> own.extent().stream())
        .reduce((a, b) -> new HlcRange(Math.min(a.from(), b.from()), Math.max(a.to(), b.to())));
  }

  @Override
  public Optional<HlcRange> history() {
    return extent();
  }

  @Override
  public Iterator<Event> scan(Set<String> logs, HlcRange range) {
    return merge(new Scan(Scan.Kind.EVENTS, Selection.all(logs), range))
        .events((event, block) -> event.of(""));
  }

  @Override
  public Iterator<Event> scanRuns(Set<String> logs, HlcRange range) {
    return merge(new Scan(Scan.Kind.RUNS, Selection.all(logs), range)).events();
  }

  @Override
  public ArrivalWindow scan(Interest interest, HlcRange range) {
    Stored stored = new Stored(interest, range.to());
    return new ArrivalWindow(
        stored, RowTest.ofLogs(interest.logs()), range.from(), range.to(), ties());
  }

  /** The events of a walk: as they are stored, or as pieces from other servers. */
  private final class Stored implements BlockSets {
    private final Interest interest;
    private final Selection selection;
    private final long to;
    private final List<PieceFeed> own = new ArrayList<>();

    Stored(Interest interest, long to) {
      this.interest = interest;
      this.selection = selection(interest);
      this.to = to;
    }

    @Override
    public List<BlockSet> from(long hlc) {
      own.forEach(PieceFeed::close);
      feeds.removeAll(own);
      own.clear();
      HlcRange range = new HlcRange(hlc, to);
      return parts.stream()
          .map(part -> part.blocks(interest, range).orElseGet(() -> pieces(part, range)))
          .toList();
    }

    private BlockSet pieces(PartView part, HlcRange range) {
      PieceFeed feed = begun(part, new Scan(Scan.Kind.BLOCKS, selection, range));
      own.add(feed);
      return new BlockSet(List.of(new PieceSource(feed, interest, range.from())), Optional.empty());
    }
  }

  private Selection selection(Interest interest) {
    return Selection.of(interest, logs());
  }

  private PieceFeed begun(PartView part, Scan scan) {
    PieceFeed feed = threads.begun(part.scan(scan));
    feeds.add(feed);
    return feed;
  }

  @Override
  public ArrivalWindow stateBefore(Interest interest, long hlc) {
    HlcRange before = new HlcRange(HlcRange.ALL.from(), hlc - 1);
    return merge(new Scan(Scan.Kind.STATE, selection(interest), before));
  }

  private ArrivalWindow merge(Scan scan) {
    List<PieceSource> sources = new ArrayList<>();
    for (PartView part : parts) {
      sources.add(new PieceSource(begun(part, scan), scan.selection(), scan.range().from()));
    }
    return new ArrivalWindow(
        sources,
        RowTest.ofLogs(scan.selection().logs()),
        scan.range().from(),
        scan.range().to(),
        ties());
  }

  /** Runs that do not overlap have no events with equal stamps. */
  private Comparator<Run> ties() {
    return Comparator.comparing(Run::node, NaturalOrder.INSTANCE)
        .thenComparingInt(run -> ranks.getOrDefault(run, -1));
  }

  @Override
  public Iterator<Sighting> sightings(HlcRange range) {
    return new Sightings(presences(), range);
  }

  @Override
  public Collection<Presence> presences() {
    List<Presence> known =
        presences.orElseGet(
            () -> threads.each(parts, PartView::presences).stream().flatMap(List::stream).toList());
    presences = Optional.of(known);
    return known;
  }

  @Override
  public List<Gap> gaps(HlcRange range) {
    return doubts(range).stream().flatMap(own -> own.gaps().stream()).toList();
  }

  @Override
  public List<Incompleteness> reasons(HlcRange range) {
    ClockOffsets aligned = clockOffsets();
    Set<Incompleteness> reasons = new LinkedHashSet<>();
    doubts(range).forEach(own -> reasons.addAll(own.reasons()));
    aligned.contradictions().stream()
        .filter(reason -> reason.range().overlaps(range))
        .forEach(reasons::add);
    if (all(Facts::nodes).size() > 1) {
      uncompared(range).ifPresent(reasons::add);
    }
    removedFrom(reasons).ifPresent(reasons::add);
    return List.copyOf(reasons);
  }

  /** The messages of a range that were not compared, because only one end is known here. */
  private Optional<Incompleteness> uncompared(HlcRange range) {
    if (!isAligned()) {
      return Optional.of(UNALIGNED);
    }
    long sampled =
        Stream.concat(
                marks().stream().map(EvidenceMark::sampledHlc),
                doubts(range).stream().map(Doubts::sampledHlc))
            .max(Comparator.naturalOrder())
            .orElse(HlcTimestamp.MIN_PACKED);
    return sampled == HlcTimestamp.MIN_PACKED || sampled < range.from()
        ? Optional.empty()
        : Optional.of(new Incompleteness.Reported(SAMPLED.formatted(HlcTimestamp.text(sampled))));
  }

  /** Takes out where the histories of the partitions begin; returns where that of all does. */
  private static Optional<Incompleteness> removedFrom(Set<Incompleteness> reasons) {
    OptionalLong begin =
        reasons.stream()
            .filter(Incompleteness.Removed.class::isInstance)
            .mapToLong(reason -> ((Incompleteness.Removed) reason).hlc())
            .max();
    reasons.removeIf(Incompleteness.Removed.class::isInstance);
    return begin.stream().<Incompleteness>mapToObj(Incompleteness.Removed::new).findFirst();
  }

  @Override
  public List<Overlap> overlaps(HlcRange range) {
    return doubts(range).stream()
        .flatMap(own -> own.overlaps().stream())
        .sorted(
            Comparator.comparing(Overlap::node, NaturalOrder.INSTANCE)
                .thenComparingLong(overlap -> overlap.range().from())
                .thenComparingLong(overlap -> overlap.range().to()))
        .toList();
  }

  private List<Doubts> doubts(HlcRange range) {
    return doubts.computeIfAbsent(
        range, wanted -> threads.each(parts, part -> part.doubts(wanted)));
  }

  @Override
  public List<NodeFrontier> frontiers() {
    return all(Facts::frontiers);
  }

  @Override
  public boolean mayWrite(String node, Set<String> logs) {
    for (int i = 0; i < parts.size(); i++) {
      Stream<String> own = facts.get(i).nodes().stream().map(NodeDescription::name);
      if (own.anyMatch(node::equals)) {
        return parts.get(i).mayWrite(node, logs);
      }
    }
    return true;
  }

  /** The blocks of all partitions, wherever they are. */
  @Override
  public Optional<BlockReads> blockReads() {
    return Optional.of(
        () ->
            threads.each(parts, PartView::blockCount).stream()
                .reduce(new BlockCount(0, 0), MergedView::sum));
  }

  private static BlockCount sum(BlockCount a, BlockCount b) {
    return new BlockCount(a.read() + b.read(), a.skipped() + b.skipped(), a.again() + b.again());
  }

  @Override
  public Optional<Slicing> slicing() {
    return Optional.of(this);
  }

  /** Those of the partitions here, which have events of all times. */
  @Override
  public long[] borders(Set<String> logs, HlcRange range, int most) {
    List<List<SliceBorders.Start>> sealed =
        parts.stream().map(part -> part.sealed(logs, range)).toList();
    return SliceBorders.of(sealed, range, most, MIN_SLICE_EVENTS);
  }

  @Override
  public List<Host> hosts() {
    return hosts.apply(this);
  }

  @Override
  public View another() {
    List<PartView> others = new ArrayList<>();
    try {
      parts.forEach(part -> others.add(part.another()));
      return new MergedView(threads, others, clocks);
    } catch (RuntimeException e) {
      others.forEach(PartView::close);
      throw e;
    }
  }

  private List<EvidenceMark> marks() {
    return facts.stream().map(Facts::evidence).toList();
  }

  private boolean isAligned() {
    return marks().stream().allMatch(EvidenceMark::isWhole);
  }

  @Override
  public ClockOffsets clockOffsets() {
    return offsets.orElseGet(this::align);
  }

  /** Doubts are about the evidence after it is read: it may become less. */
  private ClockOffsets align() {
    ClockOffsets known = isAligned() ? clocks.of(marks(), this::evidence) : ClockOffsets.UNKNOWN;
    offsets = Optional.of(known);
    doubts.clear();
    return known;
  }

  private Iterator<Event> evidence() {
    return merge(new Scan(Scan.Kind.CLOCKS, Selection.all(Set.of("")), HlcRange.ALL)).events();
  }

  @Override
  public void close() {
    feeds.forEach(PieceFeed::close);
    parts.forEach(part -> threads.later(part::close));
  }
}
