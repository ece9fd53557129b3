// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.perfetto;

import io.retroscope.cli.perfetto.TraceEvents.Track;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventBody.Receive;
import io.retroscope.event.EventBody.Send;
import io.retroscope.event.Value;
import io.retroscope.event.Value.NumberValue;
import io.retroscope.recorder.Recorder;
import io.retroscope.rql.cut.Catalog.LogDescription;
import io.retroscope.rql.cut.Catalog.NodeDescription;
import io.retroscope.rql.cut.ClockOffsets.Offset;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.EventSource.View;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.Interest;
import io.retroscope.rql.cut.MessageEnd;
import io.retroscope.rql.cut.SentMessages;
import io.retroscope.rql.cut.state.CutState;
import io.retroscope.rql.cut.state.CutTime;
import io.retroscope.rql.cut.state.VariableColumn;
import io.retroscope.rql.cut.walk.EventWarning;
import io.retroscope.rql.cut.walk.LocalWalk;
import io.retroscope.rql.print.ValueText;
import io.retroscope.rql.rule.Episode;
import java.io.Writer;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A trace of recorded events for ui.perfetto.dev: a process per node, with a track for its
 * messages, for the lines of each log, and for each variable; numbers are counters, other values
 * slices, and messages arrows. Times are aligned ones. Used by one thread, once.
 */
public final class PerfettoTrace implements LocalWalk.Listener {
  private static final String MESSAGES = "messages";

  private final View view;
  private final TraceEvents trace;
  private final CutState state = new CutState(Set.of());
  private final Map<String, Integer> processes = new LinkedHashMap<>();
  private final Map<List<String>, Track> tracks = new HashMap<>();
  private final Map<Track, Open> open = new LinkedHashMap<>();
  private final SentMessages<Long> sends = new SentMessages<>();
  private final Map<String, Long> latest = new HashMap<>();
  private long lastMicros;
  private long now;
  private long flows;

  /** A value that has not ended. */
  private record Open(String text, long since) {}

  private PerfettoTrace(View view, TraceEvents trace) {
    this.view = view;
    this.trace = trace;
  }

  /**
   * Writes a trace.
   *
   * @param episodes of rules, which get a track for each rule; may be none
   */
  public static void write(EventSource events, Map<String, List<Episode>> episodes, Writer out) {
    try (View view = events.open();
        TraceEvents trace = new TraceEvents(out)) {
      new PerfettoTrace(view, trace).write(episodes);
    }
  }

  private void write(Map<String, List<Episode>> episodes) {
    HlcRange all = view.extent().orElse(HlcRange.ALL);
    for (NodeDescription node : view.nodes()) {
      int process = processes.size() + 1;
      processes.put(node.name(), process);
      trace.process(process, node.name(), clock(node));
    }
    Set<String> logs =
        view.logs().stream()
            .map(LogDescription::name)
            .filter(log -> !log.equals(Recorder.OWN_LOG))
            .collect(Collectors.toSet());
    logs.forEach(log -> state.followMatching(log, name -> true, column -> {}));
    new LocalWalk(state, Interest.inAll(logs), this).walk(view, all);
    open.forEach((track, value) -> end(track, value, lastMicros + 1));
    if (!episodes.isEmpty()) {
      rules(episodes);
    }
  }

  /** The offset and interval of a node's clock at its last event. */
  private String clock(NodeDescription node) {
    Optional<Offset> offset = view.clockOffsets().offset(node.name(), node.lastHlc());
    return offset
        .map(
            o ->
                "clock offset %s us, from %s to %s us"
                    .formatted(o.estimateMicros(), bound(o.lowMicros()), bound(o.highMicros())))
        .orElse("clock offset unknown");
  }

  private static String bound(OptionalLong bound) {
    return bound.isPresent() ? String.valueOf(bound.getAsLong()) : "unknown";
  }

  private void rules(Map<String, List<Episode>> episodes) {
    int process = processes.size() + 1;
    trace.process(process, "rules", "episodes in which a rule is broken");
    int thread = 0;
    for (Map.Entry<String, List<Episode>> rule : episodes.entrySet()) {
      Track track = new Track(process, ++thread);
      trace.thread(track, rule.getKey());
      for (Episode episode : rule.getValue()) {
        long start =
            episode
                .time()
                .map(time -> ChronoUnit.MICROS.between(Instant.EPOCH, Instant.parse(time)))
                .orElse(HlcTimestamp.micros(episode.hlc()));
        trace.slice(track, episode.id(), start, episode.durationMicros().orElse(1));
      }
    }
  }

  private Track track(String node, String name) {
    int process = processes.computeIfAbsent(node, added -> processes.size() + 1);
    return tracks.computeIfAbsent(
        List.of(node, name),
        added -> {
          Track track = new Track(process, tracks.size() + 1);
          trace.thread(track, name);
          return track;
        });
  }

  @Override
  public void earlier(EventBlock block, int row) {}

  @Override
  public boolean before(EventBlock block, int row) {
    Event event = block.event(row);
    // The bounds of a clock change, and a node's events stay in their order all the same.
    now = latest.merge(event.node(), CutTime.of(event, view.clockOffsets()).micros(), Math::max);
    lastMicros = Math.max(lastMicros, now);
    if (event.body() instanceof EventBody.LogLine line) {
      trace.instant(track(event.node(), event.log()), ValueText.printable(line.message()), now);
    } else if (event.body() instanceof Send send) {
      long flow = ++flows;
      String name = "send " + ValueText.printable(send.id());
      trace.end(track(event.node(), MESSAGES), name, now, flow, true);
      sends.add(MessageEnd.of(event), flow);
    } else if (event.body() instanceof Receive receive) {
      receive(event, receive);
    } else if (event.body() instanceof EventBody.Start) {
      trace.instant(track(event.node(), MESSAGES), "start", now);
    } else if (event.body() instanceof EventBody.Stop) {
      trace.instant(track(event.node(), MESSAGES), "stop", now);
    }
    return true;
  }

  private void receive(Event event, Receive receive) {
    Track track = track(event.node(), MESSAGES);
    String name = "receive " + ValueText.printable(receive.id());
    sends
        .sendOf(MessageEnd.of(event))
        .ifPresentOrElse(
            flow -> trace.end(track, name, now, flow, false),
            () -> trace.slice(track, name, now, 1));
  }

  @Override
  public void changed(int node, long hlc) {
    for (VariableColumn column : state.touched()) {
      if (column.holdsState()) {
        change(state.nodes().name(node), column, column.at(node));
      }
    }
  }

  private void change(String node, VariableColumn column, @Nullable Value value) {
    String name = column.log() + "." + column.name();
    Track track = track(node, name);
    Open before = open.remove(track);
    if (before != null) {
      end(track, before, now);
    }
    if (value instanceof NumberValue) {
      String number = ValueText.of(value);
      trace.counter(track, name, now, number.matches("-?[0-9.eE+-]+") ? number : "0");
    } else if (value != null) {
      open.put(track, new Open(ValueText.of(value), now));
    }
  }

  private void end(Track track, Open value, long micros) {
    trace.slice(track, value.text(), value.since(), micros - value.since());
  }

  @Override
  public void after(EventBlock block, int row) {}

  @Override
  public void warning(EventWarning warning) {}
}
