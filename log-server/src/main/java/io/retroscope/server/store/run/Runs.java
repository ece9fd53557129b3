// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store.run;

import io.retroscope.rql.cut.EventSource.Overlap;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.Incompleteness;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Every run of every node, with derived values that queries need, updated with each change.
 * Immutable.
 *
 * @param all every run; the runs of a node are adjacent
 * @param holed the runs whose sequence numbers may have gaps
 * @param overlaps the overlaps of runs, for the nodes that have any
 * @param newestStart packed, the start of the latest run, per node
 * @param ends the ends of runs after which something may exist that will not come any more
 * @param startedReasons the overlaps and ends that lines without names of runs show, for the runs
 *     that have any
 */
public record Runs(
    PersistentMap<Incarnation.Name, Incarnation> all,
    PersistentMap<Incarnation.Name, Incarnation> holed,
    PersistentMap<String, List<Overlap>> overlaps,
    PersistentMap<String, Long> newestStart,
    PersistentMap<Incarnation.Name, Incompleteness> ends,
    PersistentMap<Incarnation.Name, List<Incompleteness>> startedReasons) {
  private static final Comparator<Incarnation.Name> BY_NODE =
      Comparator.comparing(Incarnation.Name::node).thenComparing(Incarnation.Name::incarnation);

  public static final Runs NONE =
      new Runs(
          PersistentMap.empty(BY_NODE),
          PersistentMap.empty(BY_NODE),
          PersistentMap.empty(Comparator.<String>naturalOrder()),
          PersistentMap.empty(Comparator.<String>naturalOrder()),
          PersistentMap.empty(BY_NODE),
          PersistentMap.empty(BY_NODE));

  /** A copy with the new states of some runs. */
  public Runs with(Collection<Incarnation> changed) {
    Runs runs = this;
    for (Incarnation run : changed) {
      runs = runs.with(run);
    }
    return runs;
  }

  public Runs with(Incarnation run) {
    if (run.isGone()) {
      return new Runs(
          all.without(run.name()),
          holed.without(run.name()),
          overlaps,
          newestStart,
          ends.without(run.name()),
          startedReasons.without(run.name()));
    }
    List<Incompleteness> started = run.startedReasons();
    Incarnation before = all.get(run.name());
    Runs next =
        new Runs(
            all.with(run.name(), run),
            run.hasHoles() ? holed.with(run.name(), run) : holed.without(run.name()),
            overlaps,
            newestStart,
            ends,
            started.isEmpty()
                ? startedReasons.without(run.name())
                : startedReasons.with(run.name(), started));
    next = RunOverlaps.hasOrder(run) ? next.withStart(before, run) : next;
    return next.withEnd(run);
  }

  /**
   * Updates the overlaps. Only a run that starts, or one that still records after a later one has
   * started, can overlap.
   */
  private Runs withStart(@Nullable Incarnation before, Incarnation run) {
    String node = run.name().node();
    Long newest = newestStart.get(node);
    boolean starts =
        before == null
            || before.startSeen() != run.startSeen()
            || before.startHlc() != run.startHlc();
    if (!starts && (newest == null || newest <= run.startHlc())) {
      return this;
    }
    long latest = newest == null ? run.startHlc() : Math.max(newest, run.startHlc());
    List<Overlap> own = RunOverlaps.among(of(node));
    Runs next =
        new Runs(
            all,
            holed,
            own.isEmpty() ? overlaps.without(node) : overlaps.with(node, own),
            newestStart.with(node, latest),
            ends,
            startedReasons);
    for (Incarnation earlier : of(node)) {
      next = next.withEnd(earlier);
    }
    return next;
  }

  private Runs withEnd(Incarnation run) {
    Optional<Incompleteness> end = end(run);
    boolean isKnown = ends.get(run.name()) != null;
    if (end.isEmpty() && !isKnown) {
      return this;
    }
    return new Runs(
        all,
        holed,
        overlaps,
        newestStart,
        end.isPresent() ? ends.with(run.name(), end.get()) : ends.without(run.name()),
        startedReasons);
  }

  /** What may exist after the end of a run; empty if it has stopped or may still send. */
  private Optional<Incompleteness> end(Incarnation run) {
    if (run.isForgotten()) {
      return Optional.of(new Incompleteness.Forgotten(run.name().node(), run.stopHlc()));
    }
    Long newest = newestStart.get(run.name().node());
    boolean isPromised = run.assuredMicros() > 0 && !run.isStopped();
    return isPromised
            && newest != null
            && run.startHlc() < newest
            && run.lastHeardHlc() < newest
            && !isBeingSent(run)
        ? Optional.of(
            new Incompleteness.Unsent(run.name().node(), new HlcRange(run.lastHeardHlc(), newest)))
        : Optional.empty();
  }

  /**
   * Passes on the runs of which events may still arrive: the latest of each node unless it has
   * stopped, one before it that it is still sending, and earlier ones of which numbered blocks are
   * missing. Forgotten runs are closed.
   */
  public void forEachUnended(Consumer<Incarnation> action) {
    for (Incarnation run : all.values()) {
      boolean isEnded = run.isStopped() || (isSuperseded(run) && !isBeingSent(run));
      if (!run.isForgotten() && (!isEnded || run.gapCount() > 0)) {
        action.accept(run);
      }
    }
  }

  /** Whether the node has started again. */
  private boolean isSuperseded(Incarnation run) {
    Long newest = newestStart.get(run.name().node());
    return newest != null && newest > run.startHlc();
  }

  /** Whether the node's latest start says that it is sending what the run had not sent. */
  private boolean isBeingSent(Incarnation run) {
    Long newest = newestStart.get(run.name().node());
    return newest != null
        && of(run.name().node()).stream()
            .anyMatch(
                latest ->
                    latest.startHlc() == newest
                        && latest.predecessorPending()
                        && latest.predecessor().equals(run.name().incarnation()));
  }

  /** Whether all runs of a node are closed. */
  public boolean isForgotten(String node) {
    return of(node).stream().allMatch(Incarnation::isForgotten);
  }

  /** The runs of a node that have a name. */
  public List<Incarnation> namedOf(String node) {
    return of(node).stream().filter(run -> !run.name().incarnation().isEmpty()).toList();
  }

  /**
   * Which of the runs of a node was recording at a stamp: the latest one that began before it, if
   * the run was heard from until then; null if there is none.
   */
  public static @Nullable Incarnation recordingAt(List<Incarnation> runs, long hlc) {
    Incarnation latest = null;
    for (Incarnation run : runs) {
      boolean isRecording = run.startHlc() <= hlc && hlc <= run.lastHeardHlc();
      if (isRecording && (latest == null || run.startHlc() > latest.startHlc())) {
        latest = run;
      }
    }
    return latest;
  }

  /** The runs of a node. */
  public List<Incarnation> of(String node) {
    List<Incarnation> own = new ArrayList<>();
    Iterator<Map.Entry<Incarnation.Name, Incarnation>> runs =
        all.from(new Incarnation.Name(node, ""));
    while (runs.hasNext()) {
      Incarnation run = runs.next().getValue();
      if (!run.name().node().equals(node)) {
        break;
      }
      own.add(run);
    }
    return own;
  }
}
