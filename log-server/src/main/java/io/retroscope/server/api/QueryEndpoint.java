// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.api;

import io.javalin.http.Context;
import io.retroscope.rql.diagnostic.RqlException;
import io.retroscope.rql.engine.Authority;
import io.retroscope.rql.engine.OpenQuery;
import io.retroscope.rql.engine.QueryEngine;
import io.retroscope.server.live.MonotonicClock;
import io.retroscope.server.metrics.Count;
import io.retroscope.server.metrics.Metrics;
import io.retroscope.server.store.disk.StoreException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Semaphore;

/** {@code POST /v1/query}: answers one statement over stored events. Thread-safe. */
final class QueryEndpoint {
  private static final int PREPARED_AT_A_TIME = 4;

  /**
   * The number of extra slots for short queries while all other slots are taken, and the longest
   * duration of such a query.
   */
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
  private final ComputingTurns turns;

  /**
   * An endpoint.
   *
   * @param slowQuery the duration from which a query is logged
   */
  QueryEndpoint(
      QueryEngine engine,
      ApiLimits limits,
      MonotonicClock clock,
      Metrics metrics,
      Duration slowQuery) {
    this.engine = engine;
    this.limits = limits;
    this.running = new Semaphore(limits.queryCount());
    this.metrics = metrics;
    this.log = new QueryLog(slowQuery, metrics);
    this.clock = clock;
    this.turns = new ComputingTurns(Runtime.getRuntime().availableProcessors(), clock);
  }

  int runningCount() {
    return limits.queryCount()
        - running.availablePermits()
        + SHORT_QUERIES
        - shortRunning.availablePermits();
  }

  void post(Context context) {
    try (OpenQuery query = open(StatementBody.read(context))) {
      answer(context, query);
    }
  }

  /** A request without a body can read only. */
  void get(Context context) {
    String statement = Optional.ofNullable(context.queryParam("query")).orElse("");
    try (OpenQuery query = open(statement)) {
      if (query.query().needs() != Authority.READ) {
        throw ProblemException.of(
            400, "The statement was refused", "send a statement that changes something in a POST");
      }
      answer(context, query);
    }
  }

  private void answer(Context context, OpenQuery query) {
    if (query.query().isQuick()) {
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

  private boolean runWithin(Semaphore slots, Context context, OpenQuery query, Duration time) {
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
      log.ended(query.query().text(), clock.nanos() - began);
    }
  }

  /** Few statements are parsed concurrently, because a long one takes much memory. */
  private OpenQuery open(String statement) {
    preparing.acquireUninterruptibly();
    try {
      return engine.open(statement);
    } finally {
      preparing.release();
    }
  }

  /** The engine for a request, which may assume that nothing is missing. */
  private QueryEngine engine(Context context) {
    String assumed = context.queryParam("assume");
    if (assumed != null && !assumed.equals("complete")) {
      throw ProblemException.of(
          400, "The statement was refused", "assume=complete is all that can be assumed");
    }
    return assumed == null ? engine : engine.assumingComplete();
  }

  private static AnswerForm.Format format(Context context) {
    String form = context.queryParam("form");
    if (form != null && !form.equals("series")) {
      throw ProblemException.of(
          400,
          "The statement was refused",
          "form=series is the only form that an address can name");
    }
    return form == null
        ? AnswerForm.Format.accepted(Optional.ofNullable(context.header("Accept")).orElse(""))
        : AnswerForm.Format.SERIES;
  }

  private void run(Context context, OpenQuery query, Duration time) {
    switch (query.query().needs()) {
      case READ -> {}
      case WRITE -> Gate.change(context, query.query().text());
      case ADMIN -> Gate.administer(context, query.query().text());
    }
    if (query.query().isStream()) {
      throw ProblemException.of(
          400,
          "The statement was refused",
          "send a STREAM to GET /v1/stream?query=...; omit STREAM to query stored events");
    }
    AnswerForm.Format format = format(context);
    ComputingTurns.Turn turn = turns.begin();
    Answer answer = new Answer(context, format.mediaType() + "; charset=utf-8", turn::leave);
    ClientPresence client = ClientPresence.of(context);
    AnswerForm form = format.form(answer);
    if (format == AnswerForm.Format.CSV) {
      WarningTrailer.announce(context.res(), form);
    }
    QuerySink sink = new QuerySink(answer, form, client::isGone, turn, metrics, clock, time);
    try (turn) {
      engine(context).run(query, Authority.ADMIN, Gate.caller(context).name(), sink);
    } catch (RqlException e) {
      if (!answer.isBegun() && !sink.hasRows()) {
        throw e;
      }
      sink.problem(e);
      return;
    } catch (StoreException e) {
      if (!answer.isBegun() && !sink.hasRows()) {
        throw e;
      }
      sink.problem(503, "The answer is incomplete", String.valueOf(e.getMessage()));
      return;
    }
    if (answer.isRevoked()) {
      sink.problem(401, Admission.ENDED, Admission.ENDED_DETAIL);
    } else if (sink.isOverdue()) {
      sink.problem(
          503,
          "The query took too long",
          "it was ended after "
              + time.toSeconds()
              + " s; narrow its time range"
              + (time.equals(SHORT_TIME)
                  ? ", or end one of those that have all the slots for longer ones"
                  : ""));
    } else {
      sink.end();
    }
  }
}
