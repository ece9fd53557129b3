// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.api;

import io.javalin.http.Context;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.rql.cut.Catalog;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.EventSource.Gap;
import io.retroscope.rql.cut.EventSource.Sighting;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.Incompleteness;
import io.retroscope.rql.cut.Presence;
import io.retroscope.rql.cut.StateEvents;
import io.retroscope.rql.json.NdjsonWriter;
import io.retroscope.rql.json.ProblemJson;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * {@code GET /v1/events}: stored events, as NDJSON in the order of their stamps, in a form that
 * another server can import and then answers queries in the same way: losses first, then events and
 * heartbeats, then warnings about damaged or removed parts. {@code log} and {@code node}, which may
 * repeat, and {@code from} and {@code until} select a part; starts, stops, heartbeats and losses
 * belong to every log. {@code state=true} adds the events before {@code from} that set the state
 * there, and omits sequence numbers, because events between them are not lost. A selection of logs
 * omits sequence numbers, because events that are not selected are not lost. Thread-safe.
 */
final class ExportEndpoint {
  private static final int MAX_EXPORT_COUNT = 4;

  private final EventSource source;

  private final Semaphore running = new Semaphore(MAX_EXPORT_COUNT);

  ExportEndpoint(EventSource source) {
    this.source = source;
  }

  /** The requested part. */
  private record Selection(
      Set<String> logs, boolean allLogs, Set<String> nodes, HlcRange range, boolean withState) {
    /** The stamps of everything that the part depends on. */
    HlcRange known() {
      return withState ? new HlcRange(HlcTimestamp.MIN_PACKED, range.to()) : range;
    }

    boolean isNumbered() {
      return allLogs && !withState;
    }

    boolean has(String node) {
      return nodes.isEmpty() || nodes.contains(node);
    }

    boolean concerns(Incompleteness reason) {
      return reason.nodes().isEmpty() || reason.nodes().stream().anyMatch(this::has);
    }

    /** What the export is a part of; empty if it is whole. */
    Optional<Incompleteness> part() {
      return allLogs && nodes.isEmpty() && range.equals(HlcRange.ALL)
          ? Optional.empty()
          : Optional.of(
              new Incompleteness.Part(nodes, allLogs ? Set.of() : logs, range, withState));
    }
  }

  void get(Context context) {
    if (!running.tryAcquire()) {
      context.header("Retry-After", "1");
      throw ProblemException.of(
          429,
          "Too many exports",
          MAX_EXPORT_COUNT + " exports are running already; try again when one has ended");
    }
    try (EventSource.View view = source.open()) {
      write(view, selection(context, view), context);
    } finally {
      running.release();
    }
  }

  private static Selection selection(Context context, EventSource.View view) {
    Set<String> logs =
        view.logs().stream().map(Catalog.LogDescription::name).collect(Collectors.toSet());
    Set<String> nodes =
        view.nodes().stream().map(Catalog.NodeDescription::name).collect(Collectors.toSet());
    Set<String> wantedLogs = Parameters.names(context, "log", logs);
    HlcRange range =
        new HlcRange(
            Parameters.stamp(context, "from", HlcTimestamp.MIN_PACKED),
            Parameters.stamp(context, "until", HlcTimestamp.MAX_PACKED));
    boolean withState = "true".equals(context.queryParam("state"));
    if (withState && range.from() == HlcTimestamp.MIN_PACKED) {
      throw ProblemException.of(400, "No start", "state=true needs from=STAMP");
    }
    return new Selection(
        wantedLogs.isEmpty() ? logs : wantedLogs,
        wantedLogs.isEmpty() || wantedLogs.equals(logs),
        Parameters.names(context, "node", nodes),
        range,
        withState);
  }

  /**
   * After the first lines the status can no longer change, so a failure is reported in the last
   * line.
   */
  private static void write(EventSource.View view, Selection selection, Context context) {
    Answer answer = new Answer(context, "application/x-ndjson; charset=utf-8");
    try {
      selection.part().ifPresent(part -> answer.write(NdjsonWriter.line(part) + "\n"));
      Set<Gap> known = new HashSet<>();
      writeGaps(view, selection, known, answer);
      if (selection.withState) {
        long from = selection.range.from();
        StateEvents.before(view, selection.logs, selection::has, from)
            .forEach(event -> answer.write(NdjsonWriter.line(event) + "\n"));
      }
      new EventLines(view, selection, answer).write();
      // Damage that was found during reading.
      writeGaps(view, selection, known, answer);
      for (Incompleteness reason : view.reasons(selection.known())) {
        if (!isShown(reason, view) && selection.concerns(reason)) {
          answer.write(NdjsonWriter.line(reason) + "\n");
        }
      }
      // The order in which runs arrived is known to no reader of the events.
      for (EventSource.Overlap overlap : view.overlaps(selection.known())) {
        if (selection.has(overlap.node())) {
          answer.write(NdjsonWriter.line(new Incompleteness.Overlapping(overlap)) + "\n");
        }
      }
    } catch (RuntimeException e) {
      if (!answer.isBegun()) {
        throw e;
      }
      answer.problem(ProblemJson.text(500, "The server failed", String.valueOf(e.getMessage())));
    }
    answer.end();
  }

  /** Whether the events show it themselves: the ends of runs, and that of the last recording. */
  private static boolean isShown(Incompleteness reason, EventSource.View view) {
    long last = view.extent().map(HlcRange::to).orElse(HlcTimestamp.MAX_PACKED);
    return reason instanceof Incompleteness.Unsent
        || reason instanceof Incompleteness.Forgotten
        || (reason instanceof Incompleteness.AfterEnd end && end.hlc() >= last);
  }

  private static void writeGaps(
      EventSource.View view, Selection selection, Set<Gap> known, Answer answer) {
    for (Gap gap : view.gaps(selection.known())) {
      if (selection.has(gap.node()) && known.add(gap)) {
        answer.write(NdjsonWriter.line(gap) + "\n");
      }
    }
  }

  /** Writes events, and heartbeats where a node was heard from without an event. */
  private static final class EventLines {
    private final Selection selection;
    private final Answer answer;
    private final Iterator<Event> events;
    private final Iterator<Sighting> sightings;
    private final Map<String, Presence> presences = new HashMap<>();
    private final Map<String, Long> lastStamps = new HashMap<>();

    /** The promise of each node in the lines so far, in microseconds. */
    private final Map<String, Long> promises = new HashMap<>();

    EventLines(EventSource.View view, Selection selection, Answer answer) {
      this.selection = selection;
      this.answer = answer;
      this.events = view.scanRuns(selection.logs, selection.range);
      this.sightings = view.sightings(selection.range);
      view.presences().forEach(presence -> presences.put(presence.node(), presence));
    }

    void write() {
      Event event = nextEvent();
      Sighting sighting = nextSighting();
      boolean wanted = true;
      while (wanted && (event != null || sighting != null)) {
        if (event != null && (sighting == null || event.hlc() <= sighting.hlc())) {
          wanted = write(selection.isNumbered() ? event : event.withoutSequence());
          lastStamps.put(event.node(), event.hlc());
          event = nextEvent();
        } else if (sighting != null) {
          wanted = write(sighting);
          sighting = nextSighting();
        }
      }
    }

    private @Nullable Event nextEvent() {
      while (events.hasNext()) {
        Event event = events.next();
        if (selection.has(event.node())) {
          return event;
        }
      }
      return null;
    }

    private @Nullable Sighting nextSighting() {
      while (sightings.hasNext()) {
        Sighting sighting = sightings.next();
        if (selection.has(sighting.node())) {
          return sighting;
        }
      }
      return null;
    }

    /**
     * Writes a heartbeat, unless the node has an event at its stamp and makes no other promise.
     * Between the ends of a range in which the node was not silent, the promise is as long as it
     * takes to show this; at its last stamp it is the node's own.
     */
    private boolean write(Sighting sighting) {
      String node = sighting.node();
      long promise = promiseMicros(sighting);
      Long last = lastStamps.get(node);
      if (last != null && last == sighting.hlc() && promise == promises.getOrDefault(node, 0L)) {
        return true;
      }
      promises.put(node, promise);
      return write(new Event(node, "", sighting.hlc(), new EventBody.Heartbeat(promise)));
    }

    private long promiseMicros(Sighting sighting) {
      Optional<Presence.Stay> stay =
          Optional.ofNullable(presences.get(sighting.node()))
              .flatMap(presence -> presence.latest(sighting.hlc()));
      if (stay.isPresent() && stay.get().to() == sighting.hlc()) {
        return EventSource.promiseMicros(stay.get().assuredMicros());
      }
      long assured = sighting.assuredMicros();
      return assured > Presence.MAX_GAP_MICROS ? EventSource.promiseMicros(assured) : 0;
    }

    private boolean write(Event event) {
      return answer.write(NdjsonWriter.line(event) + "\n");
    }
  }
}
