package io.retroscope.server.api;

import io.javalin.http.Context;
import io.retroscope.rql.diagnostic.RqlException;
import io.retroscope.rql.engine.Authority;
import io.retroscope.rql.engine.PreparedQuery;
import io.retroscope.rql.engine.QueryEngine;
import io.retroscope.rql.json.ProblemJson;
import io.retroscope.server.live.MonotonicClock;
import io.retroscope.server.metrics.Count;
import io.retroscope.server.metrics.Metrics;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Semaphore;

/** {@code POST /v1/query}: answers one statement over what is stored. Thread-safe. */
final class QueryEndpoint {
  private static final int PREPARED_AT_A_TIME = 4;

  /** Queries that run while others have taken all slots, and for how long at most. */
  private static final int SHORT_QUERIES = 4;

  private static final Duration SHORT_TIME = Duration.ofSeconds(10);

  private final QueryEngine engine;
  private final ApiLimits limits;
  private final Semaphore running;
  private final Semaphore shortRunning = new Semaphore(SHORT_QUERIES);
  private final Semaphore preparing = new Semaphore(PREPARED_AT_A_TIME);
  private final Metrics metrics;
  private final QueryLog log;
  private final MonotonicClock clock;

  QueryEndpoint(HttpApi.Parts parts, ApiLimits limits) {
    this.engine = parts.engine();
    this.limits = limits;
    this.running = new Semaphore(limits.queryCount());
    this.metrics = parts.metrics();
    this.log = new QueryLog(parts.slowQuery(), metrics);
    this.clock = parts.monotonicClock();
  }

  int runningCount() {
    return limits.queryCount()
        - running.availablePermits()
        + SHORT_QUERIES
        - shortRunning.availablePermits();
  }

  void post(Context context) {
    String statement = StatementBody.read(context);
    PreparedQuery query = prepare(statement);
    if (query.isQuick()) {
      run(context, query, limits.queryTime());
    } else if (!runWithin(running, context, query, limits.queryTime())
        && !runWithin(shortRunning, context, query, SHORT_TIME)) {
      throw ProblemException.of(
          429,
          "Too many queries",
          limits.queryCount()
              + " queries are running already, see SHOW QUERIES; try again when one has ended");
    }
  }

  private boolean runWithin(Semaphore slots, Context context, PreparedQuery query, Duration time) {
    if (!slots.tryAcquire()) {
      return false;
    }
    long began = clock.nanos();
    try {
      metrics.increment(Count.QUERIES);
      run(context, query, time);
      return true;
    } finally {
      slots.release();
      log.ended(query.text(), clock.nanos() - began);
    }
  }

  /** Few statements are read at a time, because a long one takes much memory. */
  private PreparedQuery prepare(String statement) {
    preparing.acquireUninterruptibly();
    try {
      return engine.prepare(statement);
    } finally {
      preparing.release();
    }
  }

  private void run(Context context, PreparedQuery query, Duration time) {
    if (query.needs() == Authority.ADMIN) {
      Gate.administer(context, query.text());
    }
    if (query.isStream()) {
      throw ProblemException.of(
          400,
          "The statement was refused",
          "a STREAM is followed at GET /v1/stream?query=...; leave STREAM out to ask what is"
              + " stored");
    }
    String accept = Optional.ofNullable(context.header("Accept")).orElse("");
    String mediaType = QuerySink.mediaType(accept);
    Answer answer = new Answer(context, mediaType + "; charset=utf-8");
    QuerySink sink =
        QuerySink.of(mediaType, answer, ClientPresence.of(context), metrics, clock, time);
    try {
      engine.run(query, sink);
    } catch (RqlException e) {
      if (!answer.isBegun()) {
        throw e;
      }
      sink.problem(422, e);
      return;
    }
    if (answer.isRevoked()) {
      sink.problem(Admission.ended().json());
    } else if (sink.isOverdue()) {
      sink.problem(
          ProblemJson.text(
              503,
              "The query took too long",
              "it was ended after "
                  + time.toSeconds()
                  + " s; narrow its time range"
                  + (time.equals(SHORT_TIME)
                      ? ", or end one of those that have all the slots for longer ones"
                      : "")));
    } else {
      sink.end();
    }
  }
}
