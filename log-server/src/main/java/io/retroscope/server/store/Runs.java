package io.retroscope.server.store;

import io.retroscope.rql.cut.EventSource.Overlap;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Every run of every node, and what queries ask of all of them, kept up to date with each change.
 * Immutable.
 *
 * @param all every run, those of a node together
 * @param holed those in whose sequence numbers something may be missing
 * @param overlaps of the nodes whose runs overlap
 * @param newestStart of each node, packed
 */
record Runs(
    PersistentMap<Incarnation.Name, Incarnation> all,
    PersistentMap<Incarnation.Name, Incarnation> holed,
    PersistentMap<String, List<Overlap>> overlaps,
    PersistentMap<String, Long> newestStart) {
  private static final Comparator<Incarnation.Name> BY_NODE =
      Comparator.comparing(Incarnation.Name::node).thenComparing(Incarnation.Name::incarnation);

  static final Runs NONE =
      new Runs(
          PersistentMap.empty(BY_NODE),
          PersistentMap.empty(BY_NODE),
          PersistentMap.empty(Comparator.<String>naturalOrder()),
          PersistentMap.empty(Comparator.<String>naturalOrder()));

  /** With the new states of some runs. */
  Runs with(Collection<Incarnation> changed) {
    Runs runs = this;
    for (Incarnation run : changed) {
      runs = runs.with(run);
    }
    return runs;
  }

  private Runs with(Incarnation run) {
    if (run.isGone()) {
      return new Runs(all.without(run.name()), holed.without(run.name()), overlaps, newestStart);
    }
    Incarnation before = all.get(run.name());
    Runs next =
        new Runs(
            all.with(run.name(), run),
            run.hasHoles() ? holed.with(run.name(), run) : holed.without(run.name()),
            overlaps,
            newestStart);
    return run.startSeen() && !run.name().incarnation().isEmpty()
        ? next.withStart(before, run)
        : next;
  }

  /** Only a run that starts, or one that still records while a later one does, can overlap. */
  private Runs withStart(@Nullable Incarnation before, Incarnation run) {
    String node = run.name().node();
    Long newest = newestStart.get(node);
    boolean starts = before == null || !before.startSeen() || before.startHlc() != run.startHlc();
    if (!starts && (newest == null || newest <= run.startHlc())) {
      return this;
    }
    long latest = newest == null ? run.startHlc() : Math.max(newest, run.startHlc());
    List<Overlap> own = RunOverlaps.among(of(node));
    return new Runs(
        all,
        holed,
        own.isEmpty() ? overlaps.without(node) : overlaps.with(node, own),
        newestStart.with(node, latest));
  }

  /** Whether a node has no run that may go on. */
  boolean isForgotten(String node) {
    return of(node).stream().allMatch(Incarnation::isForgotten);
  }

  /** The runs of a node. */
  List<Incarnation> of(String node) {
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
