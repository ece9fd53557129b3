// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recordings.file;

import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventKind;
import io.retroscope.rql.cut.EventSource.Gap;
import io.retroscope.rql.cut.EventSource.Overlap;
import io.retroscope.rql.cut.Incompleteness;
import io.retroscope.rql.cut.NaturalOrder;
import io.retroscope.rql.cut.StartedRuns;
import io.retroscope.rql.json.EventConsumer;
import io.retroscope.rql.json.EventLine;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The runs of nodes in files whose events do not name them. Files of separate tests may use one
 * name for different nodes; then their runs overlap. Used by one thread.
 */
public final class FileRuns {
  private final Map<String, StartedRuns> all = new TreeMap<>(NaturalOrder.INSTANCE);
  private final Set<String> promising = new HashSet<>();
  private final List<Overlap> inFiles = new ArrayList<>();

  /** A consumer of the events of the next file, which passes everything on. */
  public OneFile file(EventConsumer consumer) {
    return new OneFile(consumer);
  }

  /** The ranges in which runs overlap, and the ends of runs without a stop. */
  public List<Incompleteness> reasons() {
    List<Incompleteness> reasons = new ArrayList<>(overlaps());
    all.forEach(
        (node, own) -> {
          if (promising.contains(node)) {
            reasons.addAll(own.unsent());
          }
        });
    return reasons;
  }

  /** The ranges in which runs overlap. */
  public List<Incompleteness> overlaps() {
    return Stream.concat(
            all.values().stream().flatMap(own -> own.overlaps().stream()), inFiles.stream())
        .distinct()
        .<Incompleteness>map(Incompleteness.Overlapping::new)
        .toList();
  }

  /** The events of one file, which come in the order of the file. */
  public final class OneFile implements EventConsumer {
    private final EventConsumer next;
    private final Map<String, StartedRuns> runs = new HashMap<>();

    private OneFile(EventConsumer next) {
      this.next = next;
    }

    @Override
    public void event(Event event) throws IOException {
      see(event);
      next.event(event);
    }

    @Override
    public void line(EventLine line) throws IOException {
      if (line.kind() == EventKind.HEARTBEAT) {
        see(line.event());
      } else { // No start has the usual shape.
        see(line.node(), line.kind(), line.hlc());
      }
      next.line(line);
    }

    private void see(Event event) {
      if (event.body() instanceof EventBody.Heartbeat heartbeat && heartbeat.promiseMicros() > 0) {
        promising.add(event.node());
      }
      if (event.incarnation().isEmpty() && event.body() instanceof EventBody.Start start) {
        runs.computeIfAbsent(event.node(), StartedRuns::new).started(event.hlc(), start);
      } else if (event.incarnation().isEmpty() && event.body().kind() != EventKind.HEARTBEAT) {
        see(event.node(), event.body().kind(), event.hlc());
      }
    }

    private void see(String node, EventKind kind, long hlc) {
      StartedRuns own = runs.get(node);
      if (own != null) {
        own.seen(kind, hlc);
      }
    }

    @Override
    public void gap(Gap gap) throws IOException {
      next.gap(gap);
    }

    @Override
    public void incomplete(Incompleteness reason) throws IOException {
      next.incomplete(reason);
    }

    /** Adds the runs of the file to those of all. */
    public void end() {
      runs.forEach(
          (node, own) -> {
            own.spans().forEach(all.computeIfAbsent(node, StartedRuns::new)::add);
            inFiles.addAll(own.sortedOverlaps());
          });
    }
  }
}
