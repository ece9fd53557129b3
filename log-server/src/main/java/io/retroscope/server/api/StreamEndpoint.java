// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.api;

import io.javalin.http.Context;
import io.retroscope.rql.answer.StreamPlace;
import io.retroscope.rql.cut.Catalog;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.diagnostic.RqlException;
import io.retroscope.rql.engine.PreparedQuery;
import io.retroscope.rql.engine.QueryEngine;
import io.retroscope.rql.engine.live.LiveStart;
import io.retroscope.server.live.Following;
import io.retroscope.server.live.LiveSink;
import io.retroscope.server.live.MonotonicClock;
import io.retroscope.server.live.StreamingGroup;
import io.retroscope.server.live.WatermarkTracker;
import io.retroscope.server.metrics.Count;
import io.retroscope.server.metrics.Metrics;
import io.retroscope.sonify.bank.PatchBank;
import io.retroscope.sonify.bank.UnknownInstrumentException;
import io.retroscope.sonify.rule.Rule;
import io.retroscope.sonify.rule.RuleRows;
import io.retroscope.sonify.rule.SoundscapeRules;
import io.retroscope.sonify.session.SnapshotSink;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.server.Request;
import org.jspecify.annotations.Nullable;

/** {@code GET /v1/stream}: follows a STREAM statement as server-sent events. Thread-safe. */
final class StreamEndpoint implements AutoCloseable {

  /** Browsers open six connections to a server, so that a page has one stream for all queries. */
  private static final int MAX_QUERIES = 8;

  /** The time for which a closing server waits until all clients have been notified. */
  private static final long FAREWELL_MILLIS = 2_000;

  private final QueryEngine engine;
  private final EventSource source;
  private final WatermarkTracker watermarks;
  private final MonotonicClock clock;
  private final StreamingGroup group;
  private final LiveListeners listeners;
  private final ApiLimits limits;
  private final Semaphore running;
  private final QueueRoom room;
  private final StreamSink.Parts sinkParts;
  private final StreamWriters writers;
  private final Metrics metrics;
  private final Set<Following> queries = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  StreamEndpoint(LiveParts parts, LiveListeners listeners, ApiLimits limits) {
    this.engine = parts.following().engine();
    this.source = parts.following().source();
    this.watermarks = parts.following().watermarks();
    this.clock = parts.following().clock();
    this.group = new StreamingGroup(parts.following());
    this.listeners = listeners;
    this.limits = limits;
    this.running = new Semaphore(limits.streamCount());
    this.room = new QueueRoom(parts.memory(), limits.streamQueueBytes(), this::runningCount);
    this.metrics = parts.metrics();
    this.sinkParts =
        new StreamSink.Parts(limits.streamPatience(), parts.clock(), metrics, new RowTexts());
    this.writers = new StreamWriters(limits.streamCount());
  }

  int runningCount() {
    return limits.streamCount() - running.availablePermits();
  }

  /** The number of live queries that a request starts, from 1 to {@link #MAX_QUERIES}. */
  static int queryCount(Context context) {
    int count = context.queryParams("query").size();
    if (count > MAX_QUERIES) {
      throw ProblemException.of(
          400,
          "Too many queries in one stream",
          MAX_QUERIES + " queries can share a stream; this request has " + count);
    }
    return Math.max(1, count);
  }

  /**
   * Begins the answer to a request whose {@linkplain #queryCount number of queries} was checked.
   *
   * @return completed when the answer has ended
   */
  CompletableFuture<Void> get(Context context) {
    List<String> statements = context.queryParams("query");
    List<String> asked = statements.isEmpty() ? List.of("") : statements;
    List<Optional<StreamPlace>> resumed = places(context.header("Last-Event-ID"), asked.size());
    boolean lossless = "result".equals(context.queryParam("form"));
    if (!running.tryAcquire(asked.size())) {
      context.header("Retry-After", "5");
      throw ProblemException.of(
          429,
          "Too many live queries",
          limits.streamCount() + " live queries run already; end one of them first");
    }
    LiveListeners.Listener listening = listeners.listen();
    Runnable release =
        () -> {
          listening.close();
          running.release(asked.size());
        };
    try {
      List<PreparedQuery> prepared = asked.stream().map(this::prepared).toList();
      OutgoingEvents events = new OutgoingEvents(room, asked.size());
      List<Followed> followed = new ArrayList<>();
      for (int i = 0; i < asked.size(); i++) {
        String suffix = asked.size() == 1 ? "" : "." + i;
        StreamSink sink = new StreamSink(lossless, events, suffix, sinkParts);
        followed.add(
            lossless
                ? Followed.rows(prepared.get(i), sink)
                : followed(prepared.get(i), sink, ClientPresence.of(context)));
      }
      return follow(context, followed, events, resumed)
          .whenComplete((end, failure) -> release.run());
    } catch (Throwable e) {
      release.run();
      throw e;
    }
  }

  /** Whether a request may be for a statement with PLAY. */
  static boolean maySound(Request request) {
    String query = Objects.requireNonNullElse(request.getHttpURI().getQuery(), "");
    try {
      String text = URLDecoder.decode(query, StandardCharsets.UTF_8);
      return text.toUpperCase(Locale.ROOT).contains("PLAY");
    } catch (IllegalArgumentException e) {
      return false; // It will be refused.
    }
  }

  private PreparedQuery prepared(String statement) {
    PreparedQuery query = engine.prepare(statement);
    if (!query.isStream()) {
      throw ProblemException.of(
          400,
          "The statement was refused",
          "only SELECT STREAM can be followed; POST it to /v1/query");
    }
    return query;
  }

  /** The places of the queries, one after the other; a new query has a hyphen. */
  private static List<Optional<StreamPlace>> places(@Nullable String ids, int count) {
    if (ids == null) {
      return Collections.nCopies(count, Optional.empty());
    }
    List<Optional<StreamPlace>> places =
        Arrays.stream(ids.strip().split(" +", -1))
            .map(id -> id.equals("-") ? Optional.<StreamPlace>empty() : Optional.of(place(id)))
            .toList();
    if (places.size() != count) {
      throw ProblemException.of(
          400,
          "The stream cannot be resumed",
          "Last-Event-ID must have one id for each query; it has %d for %d"
              .formatted(places.size(), count));
    }
    return places;
  }

  private static StreamPlace place(String id) {
    try {
      return StreamPlace.parse(id);
    } catch (IllegalArgumentException e) {
      throw ProblemException.of(
          400,
          "The stream cannot be resumed",
          "Last-Event-ID must be the id of an event of this stream; without it the stream begins"
              + " anew");
    }
  }

  /** A query and the receiver of its rows. */
  private record Followed(PreparedQuery query, LiveSink sink, StreamSink out) {
    static Followed rows(PreparedQuery query, StreamSink sink) {
      return new Followed(query, sink, sink);
    }
  }

  /** A statement with PLAY sends its notes; what it queries for them may differ from its text. */
  private Followed followed(PreparedQuery query, StreamSink sink, ClientPresence client) {
    SoundscapeRules rules = rules(query);
    if (rules.rules().isEmpty()) {
      return Followed.rows(query, sink);
    }
    Rule rule = rules.rules().get(0);
    NoteStream notes = new NoteStream(rules, nodes(), watermarks.current().hlc(), sink);
    rule.snapshot()
        .ifPresent(
            snapshot -> {
              SnapshotSink rows =
                  new SnapshotSink(new RuleRows(rule), notes.soundscape()::addHistory);
              start(snapshot, new TimedSink(rows, client::isGone, clock, limits.queryTime()));
            });
    return new Followed(engine.prepare(rule.query()), notes, sink);
  }

  /** Queries the state at the start of a stream. */
  private void start(String snapshot, TimedSink sink) {
    try {
      engine.run(engine.prepare(snapshot), sink);
    } catch (RqlException e) {
      // A log that does not exist yet has no state.
    }
    if (sink.isOverdue()) {
      throw ProblemException.of(
          503,
          "The query took too long",
          "the state at the start of the stream was not found within "
              + limits.queryTime().toSeconds()
              + " s; write a simpler statement");
    }
  }

  private SoundscapeRules rules(PreparedQuery query) {
    try {
      return SoundscapeRules.of(
          engine.read(query.text()).query().stream().toList(), PatchBank.standard());
    } catch (UnknownInstrumentException e) {
      throw ProblemException.of(400, "The statement was refused", String.valueOf(e.getMessage()));
    }
  }

  private List<String> nodes() {
    try (EventSource.View view = source.open()) {
      return view.nodes().stream().map(Catalog.NodeDescription::name).toList();
    }
  }

  /** Returns the end of the answer. */
  private CompletableFuture<Void> follow(
      Context context,
      List<Followed> followed,
      OutgoingEvents events,
      List<Optional<StreamPlace>> resumed) {
    context.res().setContentType("text/event-stream; charset=utf-8");
    context.res().setHeader("Cache-Control", "no-store");
    long begin = watermarks.openingHlc();
    List<StreamSink> sinks = followed.stream().map(Followed::out).toList();
    List<StreamingGroup.Request> requests = new ArrayList<>();
    for (int i = 0; i < followed.size(); i++) {
      Followed one = followed.get(i);
      LiveStart opening = new LiveStart(begin, resumed.get(i));
      requests.add(new StreamingGroup.Request(one.query(), one.sink(), opening));
    }
    StreamAnswer answer =
        new StreamAnswer(
            RequestIntake.response(context),
            events,
            sinks,
            Admission.of(context)::isValid,
            writers);
    answer.keepAlive(); // Sends the head: this thread must not wait for the client.
    List<Following> started = start(requests);
    writers.add(answer);
    return answer
        .ended()
        .whenComplete(
            (end, failure) -> {
              sinks.forEach(StreamSink::cancel);
              started.forEach(Following::close);
              started.forEach(queries::remove);
            });
  }

  private List<Following> start(List<StreamingGroup.Request> requests) {
    requests.forEach(request -> metrics.increment(Count.STREAMS));
    List<Following> streaming = group.add(requests);
    queries.addAll(streaming);
    if (closed) {
      streaming.forEach(Following::close);
    }
    return streaming;
  }

  /** Ends all live queries, and notifies their clients. */
  @Override
  public void close() {
    closed = true;
    queries.forEach(Following::close);
    group.close();
    try {
      boolean unused =
          running.tryAcquire(limits.streamCount(), FAREWELL_MILLIS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    writers.close();
  }
}
