package io.retroscope.server.store;

import io.retroscope.rql.cut.EventSource.Overlap;
import io.retroscope.rql.cut.HlcRange;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The ranges in which one run of a node assigned stamps after the next run had begun. Either the
 * persisted bound of its clock was lost or could not be stored, or two processes use one name.
 */
final class RunOverlaps {
  private RunOverlaps() {}

  /** The overlaps of all nodes, ascending per node. Runs without a name have no order. */
  static List<Overlap> among(Collection<Incarnation> incarnations) {
    Map<String, List<Incarnation>> byNode = new HashMap<>();
    for (Incarnation incarnation : incarnations) {
      if (incarnation.startSeen() && !incarnation.name().incarnation().isEmpty()) {
        byNode
            .computeIfAbsent(incarnation.name().node(), node -> new ArrayList<>())
            .add(incarnation);
      }
    }
    List<Overlap> overlaps = new ArrayList<>();
    for (List<Incarnation> runs : byNode.values()) {
      runs.sort(Comparator.comparingLong(Incarnation::startHlc));
      add(runs, overlaps);
    }
    return overlaps;
  }

  /** The order of a node's runs by their begins; unknown runs come first. */
  static Comparator<Incarnation.Name> byStart(Runs runs) {
    return Comparator.<Incarnation.Name>comparingLong(
            name -> {
              Incarnation run = runs.all().get(name);
              return run == null ? Long.MIN_VALUE : run.startHlc();
            })
        .thenComparing(Incarnation.Name::incarnation);
  }

  /**
   * The runs of one node whose stamps overlap those of another run, so that node and stamp alone
   * need not identify an event.
   */
  static Set<Incarnation.Name> overlapping(Collection<Incarnation> ofNode) {
    List<Incarnation> runs =
        ofNode.stream()
            .filter(run -> !run.name().incarnation().isEmpty() && run.lastHlc() >= run.startHlc())
            .sorted(Comparator.comparingLong(Incarnation::startHlc))
            .toList();
    Set<Incarnation.Name> overlapping = new HashSet<>();
    Incarnation latest = null;
    for (Incarnation run : runs) {
      if (latest != null && latest.lastHlc() >= run.startHlc()) {
        overlapping.add(latest.name());
        overlapping.add(run.name());
      }
      latest = latest == null || run.lastHlc() > latest.lastHlc() ? run : latest;
    }
    return overlapping;
  }

  private static void add(List<Incarnation> runs, List<Overlap> overlaps) {
    Incarnation latest = runs.get(0);
    for (Incarnation run : runs.subList(1, runs.size())) {
      if (latest.lastHlc() >= run.startHlc()) {
        HlcRange range = new HlcRange(run.startHlc(), latest.lastHlc());
        boolean restart = run.predecessor().equals(latest.name().incarnation());
        overlaps.add(new Overlap(run.name().node(), range, restart));
      }
      latest = run.lastHlc() > latest.lastHlc() ? run : latest;
    }
  }
}
