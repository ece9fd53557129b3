// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store;

import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventKind;
import io.retroscope.rql.cut.Incompleteness;
import io.retroscope.rql.cut.StartedRuns;
import io.retroscope.server.store.run.Incarnation;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * The runs that one request of lines shows, which do not name their runs. After a start of a node
 * in the request, its lines belong to this run, also those that are stored already; other lines, to
 * the run that was recording. Used by one thread.
 */
final class LineRuns {
  private final Submission.Lines request;
  private final Map<String, StartedRuns> begun = new TreeMap<>();

  /** A receiver of the events without the names of their runs, in the order of the request. */
  private interface Receiver {
    void event(String node, EventKind kind, long hlc, Optional<EventBody.Start> start);
  }

  LineRuns(Submission.Lines request) {
    this.request = request;
    forEach(this::begin);
  }

  private void begin(String node, EventKind kind, long hlc, Optional<EventBody.Start> start) {
    StartedRuns own = begun.get(node);
    if (start.isPresent()) {
      begun.computeIfAbsent(node, StartedRuns::new).started(hlc, start.get());
    } else if (own != null) {
      own.seen(kind, hlc);
    }
  }

  private void forEach(Receiver receiver) {
    for (Submission.LineBlock block : request.blocks()) {
      EventBlock rows = block.rows();
      for (int row = 0; row < rows.size(); row++) {
        String node = rows.nodes().get(rows.nodeIndex(row));
        EventKind kind = rows.kind(row);
        Optional<EventBody.Start> start =
            kind == EventKind.START
                ? Optional.of((EventBody.Start) rows.body(row))
                : Optional.empty();
        receiver.event(node, kind, rows.hlc(row), start);
      }
    }
    for (Submission.NumberedEvent line : request.lines()) {
      Event event = line.event();
      boolean isHeartbeat = event.body() instanceof EventBody.Heartbeat;
      if (event.incarnation().isEmpty() && !isHeartbeat) {
        Optional<EventBody.Start> start =
            event.body() instanceof EventBody.Start found ? Optional.of(found) : Optional.empty();
        receiver.event(event.node(), event.body().kind(), event.hlc(), start);
      }
    }
  }

  /** Adds the runs to those of the nodes, and what the order of the request proves. */
  void addTo(StoreState state, Changes changes) {
    Map<String, Incarnation> continued = continued(state, changes);
    if (!continued.isEmpty()) {
      forEach(
          (node, kind, hlc, start) -> {
            Incarnation run = continued.get(node);
            if (run != null) {
              run.seenLine(kind, hlc);
            }
          });
    }
    begun.forEach(
        (node, runs) -> {
          state.stated().add(overlaps(runs), changes);
          if (unnamed(node, state, changes).map(run -> run.add(runs.spans())).orElse(false)) {
            changes.makeDurable();
          }
        });
  }

  /** The nodes without a start in the request of which runs are known: a few of all. */
  private Map<String, Incarnation> continued(StoreState state, Changes changes) {
    Set<String> nodes = new HashSet<>();
    request.blocks().forEach(block -> nodes.addAll(block.rows().nodes()));
    request.lines().forEach(line -> nodes.add(line.event().node()));
    nodes.removeAll(begun.keySet());
    Map<String, Incarnation> continued = new HashMap<>();
    for (String node : nodes) {
      unnamed(node, state, changes)
          .filter(Incarnation::hasStarted)
          .ifPresent(run -> continued.put(node, run));
    }
    return continued;
  }

  private static List<Incompleteness> overlaps(StartedRuns runs) {
    return runs.sortedOverlaps().stream()
        .<Incompleteness>map(Incompleteness.Overlapping::new)
        .toList();
  }

  /** The run of a node's lines without names, to be changed; empty if it was forgotten. */
  private static Optional<Incarnation> unnamed(String node, StoreState state, Changes changes) {
    Incarnation.Name name = new Incarnation.Name(node, "");
    Incarnation known = state.appliedRuns().all().get(name);
    boolean isOpen = known != null && !known.isForgotten();
    return isOpen || changes.incarnations().containsKey(name)
        ? Optional.of(changes.incarnation(name, state.appliedRuns()))
        : Optional.empty();
  }
}
