// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.api;

import io.javalin.http.Context;
import io.retroscope.rql.json.ProblemJson;
import io.retroscope.server.health.FatalErrors;
import io.retroscope.server.live.MonotonicClock;
import io.retroscope.server.memory.MemoryBudget;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.RejectedExecutionException;
import java.util.stream.Collectors;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/**
 * The intake of requests: each is admitted or refused by its headers, its body is read completely
 * without a thread of its own, and then a thread of the request's kind is assigned. Thread-safe.
 *
 * <p>The threads of the web server itself only read, write and answer health checks, so that they
 * are always available: neither slow bodies nor slow stores nor long queries occupy them.
 */
final class RequestIntake extends Handler.Wrapper {
  private static final String RESPONSE = RequestIntake.class.getName();

  private final Gate gate;
  private final Map<String, Route> routes;
  private final List<Route> templates;
  private final MemoryBudget memory;
  private final MonotonicClock clock;
  private final long maxBatchBytes;
  private final long maxStatementBytes;
  private final WorkerPool ingest;
  private final WorkerPool questions;
  private final WorkerPool streams;
  private final WorkerPool sounds;
  private final WorkerPool administration;

  /**
   * The threads for each kind of request.
   *
   * @param sounds for streams with PLAY, which may query long history before they begin
   */
  record Threads(
      WorkerPool ingest,
      WorkerPool questions,
      WorkerPool streams,
      WorkerPool sounds,
      WorkerPool administration) {}

  RequestIntake(
      Gate gate,
      List<Route> routes,
      MemoryBudget memory,
      MonotonicClock clock,
      long maxBatchBytes,
      long maxStatementBytes,
      Threads threads) {
    this.gate = gate;
    this.routes = routes.stream().collect(Collectors.toMap(Route::name, route -> route));
    this.templates = routes.stream().filter(Route::isTemplate).toList();
    this.memory = memory;
    this.clock = clock;
    this.maxBatchBytes = maxBatchBytes;
    this.maxStatementBytes = maxStatementBytes;
    this.ingest = threads.ingest();
    this.questions = threads.questions();
    this.streams = threads.streams();
    this.sounds = threads.sounds();
    this.administration = threads.administration();
  }

  @Override
  public boolean handle(Request request, Response response, Callback callback) throws Exception {
    Optional<Route> wanted = route(request);
    try {
      gate.admit(request, wanted);
    } catch (ProblemException e) {
      refuse(e, request.consumeAvailable(), response, callback);
      return true;
    }
    String path = wanted.orElseThrow().path();
    if (path.startsWith("/health/") || path.equals("/metrics")) {
      return super.handle(request, response, callback);
    }
    // A client is expected to be silent while its request is being answered.
    request.addIdleTimeoutListener(timeout -> false);
    boolean isBatch = wanted.get() instanceof Route.Post post && post.access() == Access.WRITE;
    WorkerPool pool = isBatch ? ingest : pool(path, request);
    if (wanted.get() instanceof Route.Socket) {
      dispatch(pool, request, response, callback);
    } else {
      new BodyReader(
              request,
              isBatch ? maxBatchBytes : maxStatementBytes,
              memory,
              clock,
              body -> {
                ClientPresence.watch(request);
                request.setAttribute(RESPONSE, response);
                dispatch(pool, new ReadRequest(request, body), response, callback);
              },
              problem -> refuse(problem, false, response, callback))
          .run();
    }
    return true;
  }

  /**
   * The web server's own response to a request, through which an answer is written without waiting
   * for the client.
   */
  static Response response(Context context) {
    if (context.req().getAttribute(RESPONSE) instanceof Response response) {
      return response;
    }
    throw new AssertionError("no response belongs to " + context.path());
  }

  private WorkerPool pool(String path, Request request) {
    if (path.equals("/v1/stream")) {
      return StreamEndpoint.maySound(request) ? sounds : streams;
    }
    return path.startsWith("/v1/admin/") ? administration : questions;
  }

  private Optional<Route> route(Request request) {
    String method = request.getMethod().equals("HEAD") ? "GET" : request.getMethod();
    String path = String.valueOf(request.getHttpURI().getPath());
    return Optional.ofNullable(routes.get(method + " " + path))
        .or(() -> templates.stream().filter(r -> r.matches(method, path)).findFirst());
  }

  private void dispatch(WorkerPool pool, Request request, Response response, Callback callback) {
    try {
      pool.execute(() -> answer(request, response, callback));
    } catch (RejectedExecutionException e) {
      refuse(
          ProblemException.of(
              503, "The server is busy", "too many requests wait; try again in a second"),
          false,
          response,
          callback);
    }
  }

  private void answer(Request request, Response response, Callback callback) {
    try {
      if (!super.handle(request, response, callback)) {
        Response.writeError(request, response, callback, 404);
      }
    } catch (Throwable e) {
      FatalErrors.check(e);
      Response.writeError(request, response, callback, e);
    }
  }

  /**
   * Answers with a problem.
   *
   * @param read whether the whole body has been read; otherwise the connection is closed, because
   *     the remaining body is not read
   */
  private static void refuse(
      ProblemException problem, boolean read, Response response, Callback callback) {
    HttpFields.Mutable headers = response.getHeaders();
    response.setStatus(problem.status());
    headers.put(HttpHeader.CONTENT_TYPE, ProblemJson.MEDIA_TYPE);
    if (problem.status() == 401) {
      headers.put(HttpHeader.WWW_AUTHENTICATE, "Bearer");
    }
    if (problem.status() == 503) {
      headers.put(HttpHeader.RETRY_AFTER, "1");
    }
    if (!read) {
      headers.put(HttpHeader.CONNECTION, "close");
    }
    byte[] json = problem.json().getBytes(StandardCharsets.UTF_8);
    response.write(true, ByteBuffer.wrap(json), callback);
  }
}
