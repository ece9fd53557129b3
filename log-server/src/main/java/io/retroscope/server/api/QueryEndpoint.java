package io.retroscope.server.api;

import io.javalin.http.Context;
import io.retroscope.rql.diagnostic.RqlException;
import io.retroscope.rql.engine.PreparedQuery;
import io.retroscope.rql.engine.QueryEngine;
import io.retroscope.rql.json.ProblemJson;
import io.retroscope.server.live.MonotonicClock;
import io.retroscope.server.metrics.Count;
import io.retroscope.server.metrics.Metrics;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.Semaphore;

/** {@code POST /v1/query}: answers one statement over what is stored. Thread-safe. */
final class QueryEndpoint {
  private final QueryEngine engine;
  private final ApiLimits limits;
  private final Semaphore running;
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
    return limits.queryCount() - running.availablePermits();
  }

  void post(Context context) throws IOException {
    String statement = StatementBody.read(context, limits.statementBytes());
    if (!running.tryAcquire()) {
      context.header("Retry-After", "1");
      throw ProblemException.of(
          429,
          "Too many queries",
          limits.queryCount() + " queries are running already; try again when one has ended");
    }
    long began = clock.nanos();
    try {
      metrics.increment(Count.QUERIES);
      run(context, engine.prepare(statement));
    } finally {
      running.release();
      log.ended(statement, clock.nanos() - began);
    }
  }

  private void run(Context context, PreparedQuery query) {
    if (query.isStream()) {
      throw ProblemException.of(
          400,
          "The statement was refused",
          "a STREAM is followed at GET /v1/stream?query=...; leave STREAM out to ask what is"
              + " stored");
    }
    String accept = Optional.ofNullable(context.header("Accept")).orElse("");
    String mediaType = QuerySink.mediaType(accept);
    Answer answer = new Answer(context.res(), mediaType + "; charset=utf-8");
    QuerySink sink = QuerySink.of(mediaType, answer, metrics, clock, limits.queryTime());
    try {
      engine.run(query, sink);
    } catch (RqlException e) {
      if (!answer.isBegun()) {
        throw e;
      }
      sink.problem(422, e);
      return;
    }
    if (sink.isOverdue()) {
      sink.problem(
          ProblemJson.text(
              503,
              "The query took too long",
              "it was ended after "
                  + limits.queryTime().toSeconds()
                  + " s; narrow its time range"));
    } else {
      sink.end();
    }
  }
}
