package io.retroscope.server.store;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.event.LostBlocks;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.EventSource.BlockCount;
import io.retroscope.rql.cut.EventSource.Gap;
import io.retroscope.rql.cut.EventSource.LogInfo;
import io.retroscope.rql.cut.EventSource.NodeInfo;
import io.retroscope.rql.cut.EventSource.Overlap;
import io.retroscope.rql.cut.EventSource.Sighting;
import io.retroscope.rql.cut.EventSource.View;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.Interest;
import io.retroscope.rql.cut.NaturalOrder;
import io.retroscope.server.store.BlockMerge.RowTest;
import io.retroscope.server.store.BlockZone.LogZone;
import io.retroscope.server.store.BlockZone.NodeZone;
import io.retroscope.server.store.Lifetimes.Lifetime;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiFunction;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The store as it was at one moment. Blocks are never changed, so nothing needs to be held. Used by
 * one thread.
 */
final class StoreView implements View {
  private final StoreState state;
  private final BlockIndex.Snapshot index;
  private final Map<String, List<Lifetime>> lifetimes;
  private final List<LostBlocks> lost;
  private final Collection<Incarnation> incarnations;
  private final Comparator<Incarnation.Name> runs;
  private @Nullable Set<Incarnation.Name> overlappingRuns;
  private final List<BlockZone> quarantined;
  private final ClockOffsets clockOffsets;
  private final Set<Long> blocksRead = new HashSet<>();

  StoreView(StoreState state, ClockOffsets clockOffsets) {
    this.state = state;
    StoreState.Published published = state.published();
    this.index = published.index();
    this.lifetimes = state.lifetimes().snapshot();
    this.lost = published.lost();
    this.incarnations = published.incarnations().values();
    this.runs = RunOverlaps.byStart(published.incarnations());
    this.quarantined = published.quarantined();
    this.clockOffsets = clockOffsets;
  }

  @Override
  public List<LogInfo> logs() {
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
    List<LogInfo> logs = new ArrayList<>();
    counts.forEach(
        (log, count) ->
            logs.add(new LogInfo(log, List.copyOf(variables.getOrDefault(log, Set.of())), count)));
    return logs;
  }

  @Override
  public boolean mayHold(String log) {
    for (int i = 0; i < index.size(); i++) {
      if (index.zone(i).holdsLog(log)) {
        return true;
      }
    }
    return false;
  }

  @Override
  public List<NodeInfo> nodes() {
    Map<String, Long> counts = new TreeMap<>();
    for (int i = 0; i < index.size(); i++) {
      for (NodeZone node : index.zone(i).nodes()) {
        counts.merge(node.node(), node.eventCount(), Long::sum);
      }
    }
    List<NodeInfo> nodes = new ArrayList<>();
    lifetimes.forEach(
        (node, ranges) ->
            nodes.add(
                new NodeInfo(node, counts.getOrDefault(node, 0L), first(ranges), last(ranges))));
    nodes.sort(Comparator.comparing(NodeInfo::name, NaturalOrder.INSTANCE));
    return nodes;
  }

  @Override
  public List<Sighting> arrivals() {
    return lifetimes.entrySet().stream()
        .map(node -> new Sighting(node.getKey(), first(node.getValue()), 0))
        .sorted(Comparator.comparingLong(Sighting::hlc))
        .toList();
  }

  @Override
  public Optional<HlcRange> extent() {
    long first = Long.MAX_VALUE;
    long last = Long.MIN_VALUE;
    for (List<Lifetime> ranges : lifetimes.values()) {
      first = Math.min(first, first(ranges));
      last = Math.max(last, last(ranges));
    }
    return lifetimes.isEmpty() ? Optional.empty() : Optional.of(new HlcRange(first, last));
  }

  private static long first(List<Lifetime> ranges) {
    return ranges.get(0).range().from();
  }

  private static long last(List<Lifetime> ranges) {
    return ranges.get(ranges.size() - 1).range().to();
  }

  @Override
  public Iterator<Event> scan(Set<String> logs, HlcRange range) {
    return scan(logs, range, zone -> true, (event, run) -> event);
  }

  @Override
  public Iterator<Event> scanRuns(Set<String> logs, HlcRange range) {
    return scan(
        logs,
        range,
        zone -> true,
        (event, run) -> event.of(shown(new Incarnation.Name(event.node(), run))));
  }

  /** The incarnation where it is needed to know which event is meant. */
  private String shown(Incarnation.Name run) {
    if (overlappingRuns == null) {
      overlappingRuns = RunOverlaps.overlapping(incarnations);
    }
    return overlappingRuns.contains(run) ? run.incarnation() : "";
  }

  @Override
  public Iterator<Event> scan(Interest interest, HlcRange range) {
    return scan(interest.logs(), range, zone -> zone.matters(interest), (event, run) -> event);
  }

  private Iterator<Event> scan(
      Set<String> logs,
      HlcRange range,
      Predicate<BlockZone> matters,
      BiFunction<Event, String, Event> attribution) {
    List<BlockZone> zones = index.overlapping(range, zone -> zone.holdsAnyOf(logs));
    zones.sort(Comparator.comparingLong(BlockZone::firstHlc));
    return new BlockMerge(
        zones, matters, RowTest.ofLogs(logs), range, this::read, runs, attribution);
  }

  @Override
  public Iterator<Event> stateBefore(Interest interest, long hlc) {
    return new StartState(interest, hlc, this::read, runs).events(index.before(hlc));
  }

  @Override
  public Iterator<Sighting> sightings(HlcRange range) {
    return new Sightings(lifetimes, range);
  }

  private EventBlock read(BlockZone zone) {
    blocksRead.add(zone.id());
    return state.block(zone);
  }

  @Override
  public Optional<BlockCount> blocks() {
    return Optional.of(new BlockCount(blocksRead.size(), index.size() - blocksRead.size()));
  }

  @Override
  public List<Gap> gaps(HlcRange range) {
    List<Gap> gaps = new ArrayList<>();
    for (LostBlocks blocks : lost) {
      if (blocks.eventCount() > 0) {
        gaps.add(gap(blocks));
      }
    }
    for (Incarnation incarnation : incarnations) {
      String run = incarnation.name().incarnation();
      List<Gap> told = told(incarnation.name());
      incarnation.gaps().forEach(gap -> gap.of(run).without(told).ifPresent(gaps::add));
    }
    gaps.replaceAll(gap -> gap.of(shown(new Incarnation.Name(gap.node(), gap.incarnation()))));
    gaps.addAll(state.damage().gaps(range));
    gaps.removeIf(gap -> !gap.range().overlaps(range));
    return gaps;
  }

  @Override
  public List<String> warnings(HlcRange range) {
    List<String> warnings = new ArrayList<>(state.damage().warnings(range));
    // Also for a range after it, which builds on what was set before.
    state.historyStart().ifPresent(start -> warnings.add(start.sentence()));
    quarantineWarning(range).ifPresent(warnings::add);
    return warnings;
  }

  /** What is in quarantine is missing where history has come to its stamps. */
  private Optional<String> quarantineWarning(HlcRange range) {
    if (quarantined.isEmpty()) {
      return Optional.empty();
    }
    long last = extent().map(HlcRange::to).orElse(HlcTimestamp.MIN_PACKED);
    List<NodeZone> parts =
        quarantined.stream()
            .flatMap(zone -> zone.nodes().stream())
            .filter(part -> part.firstHlc() <= Math.min(last, range.to()))
            .filter(part -> part.lastHlc() >= range.from())
            .toList();
    return parts.isEmpty()
        ? Optional.empty()
        : Optional.of(
            "%d events of %s are in quarantine, the first from %s: \"quarantine release\" stores them"
                .formatted(
                    parts.stream().mapToLong(NodeZone::eventCount).sum(),
                    parts.stream().map(NodeZone::node).distinct().collect(Collectors.joining(", ")),
                    new HlcTimestamp(
                        parts.stream().mapToLong(NodeZone::firstHlc).min().orElse(last))));
  }

  @Override
  public List<Overlap> overlaps(HlcRange range) {
    return RunOverlaps.among(incarnations).stream()
        .filter(overlap -> overlap.range().overlaps(range))
        .toList();
  }

  /** What was declared lost of a run of a node. */
  private List<Gap> told(Incarnation.Name name) {
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
  public void close() {}
}
