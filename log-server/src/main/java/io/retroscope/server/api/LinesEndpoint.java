// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.api;

import io.javalin.http.Context;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.json.ProblemJson;
import io.retroscope.rql.json.RowJson;
import io.retroscope.server.lines.AlignedLine;
import io.retroscope.server.lines.LineException;
import io.retroscope.server.lines.LineFollower;
import io.retroscope.server.lines.LineHistory;
import io.retroscope.server.lines.LineJson;
import io.retroscope.server.lines.LineRequest;
import io.retroscope.server.metrics.Count;
import io.retroscope.server.metrics.Metrics;
import io.retroscope.server.store.disk.StoreException;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * {@code GET /v1/lines}: the nodes' log lines in the order of their aligned times, as NDJSON, and
 * with {@code follow} new ones as they arrive. Thread-safe.
 */
final class LinesEndpoint implements AutoCloseable {
  /** The interval at which a quiet answer sends a keep-alive, and detects a disconnected client. */
  private static final long KEEP_ALIVE_NANOS = TimeUnit.SECONDS.toNanos(2);

  /** The longest wait of one poll for new lines. */
  private static final long TICK_MILLIS = 50;

  /** The time for which a closing server waits until all clients have been notified. */
  private static final long FAREWELL_MILLIS = 2_000;

  private final LineParts parts;
  private final LiveListeners listeners;
  private final int maxCount;
  private final Semaphore running;
  private final Metrics metrics;
  private volatile boolean closed;

  LinesEndpoint(LineParts parts, LiveListeners listeners, int maxCount) {
    this.parts = parts;
    this.listeners = listeners;
    this.maxCount = maxCount;
    this.running = new Semaphore(maxCount);
    this.metrics = parts.metrics();
  }

  int runningCount() {
    return maxCount - running.availablePermits();
  }

  /**
   * The parameters of a request.
   *
   * @throws ProblemException if they are invalid
   */
  static LineRequest request(Context context) {
    try {
      return LineRequest.parse(context.queryParamMap());
    } catch (IllegalArgumentException e) {
      throw ProblemException.of(400, "The request was refused", String.valueOf(e.getMessage()));
    }
  }

  void get(LineRequest request, Context context) throws InterruptedException {
    if (!running.tryAcquire()) {
      context.header("Retry-After", "1");
      throw ProblemException.of(
          429,
          "Too many readers of lines",
          maxCount + " requests for lines are running already; end one of them first");
    }
    try {
      answer(request, new Answer(context, "application/x-ndjson; charset=utf-8"));
    } finally {
      running.release();
    }
  }

  private void answer(LineRequest request, Answer answer) throws InterruptedException {
    try {
      if (request.follow()) {
        LiveListeners.Listener listening = listeners.listen();
        try {
          follow(request, answer);
        } finally {
          listening.close();
        }
      } else {
        try (EventSource.View view = parts.source().open()) {
          long now = parts.following().wallClock().micros();
          writeWarnings(LineHistory.give(view, request, now, line -> write(line, answer)), answer);
          writeWarnings(LineHistory.warnings(view, request, now), answer);
        }
      }
    } catch (LineException e) {
      if (!answer.isBegun()) {
        throw ProblemException.of(400, "The lines cannot be given", String.valueOf(e.getMessage()));
      }
      answer.problem(problem(422, String.valueOf(e.getMessage())));
    } catch (StoreException e) {
      if (!answer.isBegun()) {
        throw e;
      }
      answer.problem(problem(503, String.valueOf(e.getMessage())));
    }
    answer.end();
  }

  private void follow(LineRequest request, Answer answer) throws InterruptedException {
    LineFollower.Parts following = parts.following();
    long begun = following.clock().nanos();
    OptionalLong limitMicros = request.limitMicros();
    try (LineFollower follower =
        LineFollower.start(following, request, line -> write(line, answer))) {
      try (EventSource.View view = following.source().open()) {
        writeWarnings(LineHistory.warnings(view, request, following.wallClock().micros()), answer);
      }
      answer.send();
      long sent = begun;
      while (!closed && !answer.isBroken()) {
        List<AlignedLine> lines = follower.next(TICK_MILLIS);
        lines.forEach(line -> write(line, answer));
        writeWarnings(follower.notes(), answer);
        long now = following.clock().nanos();
        if (!lines.isEmpty() || now - sent >= KEEP_ALIVE_NANOS) {
          if (lines.isEmpty()) {
            answer.write("\n");
          }
          answer.send();
          sent = now;
        }
        if (limitMicros.isPresent()
            && now - begun >= TimeUnit.MICROSECONDS.toNanos(limitMicros.getAsLong())) {
          follower.rest().forEach(line -> write(line, answer));
          return;
        }
      }
    }
    if (closed) {
      answer.problem(problem(503, "the server is shutting down"));
    }
  }

  private static void writeWarnings(List<String> sentences, Answer answer) {
    for (String sentence : sentences) {
      answer.write(RowJson.warning(sentence) + "\n");
    }
  }

  private boolean write(AlignedLine line, Answer answer) {
    metrics.increment(Count.ROWS);
    return answer.write(LineJson.text(line) + "\n");
  }

  private static String problem(int status, String detail) {
    return ProblemJson.text(status, "The lines end", detail);
  }

  /** Ends the answers that follow, and notifies their clients. */
  @Override
  public void close() {
    closed = true;
    try {
      boolean unused = running.tryAcquire(maxCount, FAREWELL_MILLIS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
