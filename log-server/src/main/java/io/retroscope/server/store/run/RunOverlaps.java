// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store.run;

import io.retroscope.rql.cut.EventSource.Overlap;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.RunSpan;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The ranges in which one run of a node assigned stamps after the next run had begun. Either the
 * persisted bound of its clock was lost or could not be stored, or two processes use one name.
 */
public final class RunOverlaps {
  private RunOverlaps() {}

  /**
   * The overlaps of all nodes, ascending per node. Runs without a name have no order. A run whose
   * start is not stored begins at its lowest stamp.
   */
  static List<Overlap> among(Collection<Incarnation> incarnations) {
    return RunSpan.overlaps(
        incarnations.stream()
            .filter(RunOverlaps::hasOrder)
            .map(
                run ->
                    new RunSpan(
                        run.name().node(),
                        run.name().incarnation(),
                        new HlcRange(run.startHlc(), run.lastHlc()),
                        run.predecessor()))
            .toList());
  }

  /** Whether a run has a name and events. */
  static boolean hasOrder(Incarnation run) {
    return !run.name().incarnation().isEmpty() && run.startHlc() <= run.lastHlc();
  }

  /**
   * The run before one that has just started below all stamps of it, without naming it: its clock
   * was older, and no bound of the stamps was kept. Senders keep the order of their runs, unless
   * the later one names the earlier.
   *
   * @param ofNode the runs of its node that arrived before
   */
  public static Optional<Incarnation> runBefore(
      Incarnation started, Collection<Incarnation> ofNode) {
    return started.predecessor().isEmpty()
        ? ofNode.stream()
            .filter(run -> hasOrder(run) && run.startHlc() > started.startHlc())
            .filter(run -> !run.predecessor().equals(started.name().incarnation()))
            .max(Comparator.comparingLong(Incarnation::lastHlc))
        : Optional.empty();
  }

  /** The order of a node's runs by their begins; unknown runs come first. */
  public static Comparator<Incarnation.Name> byStart(Runs runs) {
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
  public static Set<Incarnation.Name> overlapping(Collection<Incarnation> ofNode) {
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
}
