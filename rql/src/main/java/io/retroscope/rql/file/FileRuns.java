// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.file;

import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.rql.cut.EventSource.Gap;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.Incompleteness;
import io.retroscope.rql.cut.RunSpan;
import io.retroscope.rql.json.EventConsumer;
import io.retroscope.rql.json.EventLine;
import java.io.IOException;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The runs of nodes in several files whose events do not name them. Files of separate tests may use
 * one name for different nodes; then their runs overlap. Used by one thread.
 */
public final class FileRuns {
  /** A run that began in a file. */
  private record Started(String node, String incarnation) {}

  private final Map<Started, RunSpan> spans = new LinkedHashMap<>();

  /** The run of a node that a file is in, with its last stamp so far. */
  private static final class Open {
    private final EventBody.Start start;
    private long from;
    private long to;

    Open(EventBody.Start start, long hlc) {
      this.start = start;
      from = hlc;
      to = hlc;
    }
  }

  /** A consumer of the events of the next file, which passes everything on. */
  public OneFile file(EventConsumer consumer) {
    return new OneFile(consumer);
  }

  /** The ranges in which runs overlap. */
  public List<Incompleteness> overlaps() {
    return RunSpan.overlaps(spans.values()).stream()
        .<Incompleteness>map(Incompleteness.Overlapping::new)
        .toList();
  }

  private void add(String node, Open run) {
    String name = run.start.incarnation();
    RunSpan span = new RunSpan(node, name, new HlcRange(run.from, run.to), run.start.predecessor());
    spans.merge(
        new Started(node, name),
        span,
        (a, b) ->
            new RunSpan(
                node,
                name,
                new HlcRange(
                    Math.min(a.range().from(), b.range().from()),
                    Math.max(a.range().to(), b.range().to())),
                a.predecessor()));
  }

  /** The events of one file, which come in the order of the file. */
  public final class OneFile implements EventConsumer {
    private final EventConsumer next;
    private final Map<String, TreeMap<Long, Open>> runs = new HashMap<>();

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
      see(line.node(), line.hlc()); // No start has the usual shape.
      next.line(line);
    }

    private void see(Event event) {
      if (event.incarnation().isEmpty() && event.body() instanceof EventBody.Start start) {
        runs.computeIfAbsent(event.node(), name -> new TreeMap<>())
            .put(event.hlc(), new Open(start, event.hlc()));
      } else if (event.incarnation().isEmpty()) {
        see(event.node(), event.hlc());
      }
    }

    /** An event belongs to the latest run that began before it. */
    private void see(String node, long hlc) {
      TreeMap<Long, Open> own = runs.get(node);
      Map.Entry<Long, Open> run = own == null ? null : own.floorEntry(hlc);
      if (run != null) {
        run.getValue().to = Math.max(run.getValue().to, hlc);
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
      runs.forEach((node, own) -> own.values().forEach(run -> add(node, run)));
    }
  }
}
