// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.cut;

import io.retroscope.rql.cut.EventSource.Overlap;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The stamps that one run of a node assigned.
 *
 * @param incarnation the run's name, not empty
 * @param predecessor the previous run as named by this run's start; empty if it names none
 * @param isStopped whether its last event is a stop
 */
public record RunSpan(
    String node, String incarnation, HlcRange range, String predecessor, boolean isStopped) {
  /** A run of which it is not known whether it stopped. */
  public RunSpan(String node, String incarnation, HlcRange range, String predecessor) {
    this(node, incarnation, range, predecessor, false);
  }

  /**
   * Returns the ranges in which two runs of a node assigned stamps, ascending per node, and those
   * of runs whose stamps are below those of the run before them: the clock was older at a restart.
   */
  public static List<Overlap> overlaps(Collection<RunSpan> runs) {
    Map<String, List<RunSpan>> byNode = new TreeMap<>(NaturalOrder.INSTANCE);
    runs.forEach(run -> byNode.computeIfAbsent(run.node, node -> new ArrayList<>()).add(run));
    List<Overlap> overlaps = new ArrayList<>();
    byNode.values().forEach(own -> addOverlaps(own, overlaps));
    return overlaps;
  }

  private static void addOverlaps(List<RunSpan> runs, List<Overlap> overlaps) {
    runs.sort(Comparator.comparingLong(run -> run.range.from()));
    RunSpan latest = runs.get(0);
    for (RunSpan run : runs.subList(1, runs.size())) {
      if (latest.range.to() >= run.range.from()) {
        HlcRange both = new HlcRange(run.range.from(), latest.range.to());
        boolean restart = follows(run, latest) || follows(latest, run);
        overlaps.add(new Overlap(run.node, both, restart));
      }
      latest = run.range.to() > latest.range.to() ? run : latest;
    }
    addInversions(runs, overlaps);
  }

  private static boolean follows(RunSpan run, RunSpan other) {
    return run.predecessor.equals(other.incarnation);
  }

  private static void addInversions(List<RunSpan> runs, List<Overlap> overlaps) {
    Map<String, RunSpan> byName = new HashMap<>();
    runs.forEach(run -> byName.put(run.incarnation, run));
    for (RunSpan run : runs) {
      RunSpan previous = byName.get(run.predecessor);
      if (previous != null && previous.range.from() > run.range.to()) {
        HlcRange both = new HlcRange(run.range.from(), previous.range.to());
        overlaps.add(new Overlap(run.node, both, true));
      }
    }
  }
}
