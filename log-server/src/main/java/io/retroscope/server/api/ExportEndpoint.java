package io.retroscope.server.api;

import io.javalin.http.Context;
import io.retroscope.event.Event;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.json.NdjsonWriter;
import io.retroscope.rql.json.ProblemJson;
import java.util.HashSet;
import java.util.Iterator;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.stream.Collectors;

/**
 * {@code GET /v1/events}: all that is stored, as NDJSON in the order of the stamps, or only the
 * logs that {@code log} names, which may repeat. Starts and stops are always there, heartbeats
 * never. Thread-safe.
 */
final class ExportEndpoint {
  private static final int MAX_EXPORT_COUNT = 4;

  private final EventSource source;
  private final Semaphore running = new Semaphore(MAX_EXPORT_COUNT);

  ExportEndpoint(EventSource source) {
    this.source = source;
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
      write(view, wantedLogs(context, view), context);
    } finally {
      running.release();
    }
  }

  private static Set<String> allLogs(EventSource.View view) {
    return view.logs().stream().map(EventSource.LogInfo::name).collect(Collectors.toSet());
  }

  private static Set<String> wantedLogs(Context context, EventSource.View view) {
    Set<String> known = allLogs(view);
    Set<String> wanted = new HashSet<>(context.queryParams("log"));
    for (String log : wanted) {
      if (!known.contains(log)) {
        throw ProblemException.of(400, "No such log", "nothing is stored of log " + log);
      }
    }
    return wanted.isEmpty() ? known : wanted;
  }

  /** A failure after the first lines cannot change the status any more: it is the last line. */
  private static void write(EventSource.View view, Set<String> logs, Context context) {
    Answer answer = new Answer(context.res(), "application/x-ndjson; charset=utf-8");
    try {
      Iterator<Event> events = view.scan(logs, HlcRange.ALL);
      boolean whole = logs.containsAll(allLogs(view));
      boolean wanted = true;
      while (wanted && events.hasNext()) {
        Event event = events.next();
        wanted = answer.write(NdjsonWriter.line(whole ? event : event.withoutSequence()) + "\n");
      }
    } catch (RuntimeException e) {
      if (!answer.isBegun()) {
        throw e;
      }
      answer.write(
          "{\"problem\":"
              + ProblemJson.text(500, "The server failed", String.valueOf(e.getMessage()))
              + "}\n");
    }
    answer.send();
  }
}
