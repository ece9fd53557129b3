// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.api;

import io.javalin.Javalin;
import io.javalin.compression.CompressionStrategy;
import io.javalin.config.JavalinConfig;
import io.javalin.http.Context;
import io.javalin.http.HttpResponseException;
import io.javalin.util.JavalinBindException;
import io.retroscope.recordings.file.EventFileException;
import io.retroscope.rql.diagnostic.RqlException;
import io.retroscope.rql.json.ProblemJson;
import io.retroscope.server.health.FatalErrors;
import io.retroscope.server.metrics.Count;
import io.retroscope.server.metrics.Metrics;
import io.retroscope.server.store.disk.StoreException;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The web server of an API, with its routes, its threads and the form of its errors. Thread-safe.
 */
final class WebServer implements AutoCloseable {
  private static final Logger logger = LoggerFactory.getLogger(WebServer.class);

  /**
   * The longest time for which the HTTP server may take to stop: it waits for its own threads
   * without a limit.
   */
  private static final long STOP_MILLIS = 10_000;

  /** A STREAM statement is part of the request line. */
  static final int HEADER_BYTES = 64 * 1024;

  private final RequestIntake intake;
  private final List<Route> routes;
  private final Optional<ServerCertificate> certificate;
  private final WebConnector connector;
  private final Metrics metrics;
  private final Javalin javalin;

  /** A web server that does not listen yet. */
  WebServer(
      RequestIntake intake,
      List<Route> routes,
      Optional<ServerCertificate> certificate,
      Metrics metrics) {
    this.intake = intake;
    this.routes = routes;
    this.certificate = certificate;
    this.connector = new WebConnector(certificate);
    this.metrics = metrics;
    javalin = Javalin.create(this::configure);
  }

  private void configure(JavalinConfig config) {
    config.startup.showJavalinBanner = false;
    config.startup.showOldJavalinVersionWarning = false;
    config.startup.startupWatcherEnabled = false;
    config.http.compressionStrategy = CompressionStrategy.NONE;
    config.router.javaLangErrorHandler(this::fatal);
    config.jetty.modifyServer(
        server -> {
          server.setHandler(intake);
          server.setErrorHandler(new RefusedRequests());
        });
    config.jetty.modifyHttpConfiguration(
        http -> {
          http.setSendServerVersion(false);
          http.setRequestHeaderSize(HEADER_BYTES);
        });
    config.jetty.modifyWebSocketServletFactory(EventSocketEndpoint::configure);
    config.jetty.addConnector(connector::connector);
    // The gate compares paths as they are.
    config.router.ignoreTrailingSlashes = false;
    routes.forEach(route -> route.register(config));
    configureErrors(config);
  }

  private void configureErrors(JavalinConfig config) {
    config.routes.exception(
        ProblemException.class, (e, context) -> problem(context, e.status(), e.json()));
    config.routes.exception(
        RqlException.class, (e, context) -> problem(context, 400, ProblemJson.text(400, e)));
    config.routes.exception(
        HttpResponseException.class,
        (e, context) ->
            problem(
                context,
                e.getStatus(),
                ProblemJson.text(
                    e.getStatus(), "The request was refused", String.valueOf(e.getMessage()))));
    config.routes.exception(
        EventFileException.class,
        (e, context) ->
            problem(context, 500, ProblemJson.text(500, "The files cannot be read", e.reason())));
    config.routes.exception(
        StoreException.class,
        (e, context) ->
            problem(
                context,
                503,
                ProblemJson.text(503, "The store failed", String.valueOf(e.getMessage()))));
    config.routes.exception(
        IOException.class,
        (e, context) ->
            problem(
                context,
                400,
                ProblemJson.text(400, "The request was cut off", "its body could not be read")));
    config.routes.exception(Exception.class, this::unexpected);
  }

  private void fatal(HttpServletResponse response, Error failure) {
    FatalErrors.check(failure);
    metrics.increment(Count.REQUESTS_FAILED);
    logger.error("a request failed", failure);
    response.setStatus(500);
  }

  private void unexpected(Exception e, Context context) {
    metrics.increment(Count.REQUESTS_FAILED);
    logger.error("{} {} failed", context.method(), context.path(), e);
    problem(context, 500, ProblemJson.text(500, "The server failed", "see the server's log"));
  }

  private static void problem(Context context, int status, String json) {
    if (!context.res().isCommitted()) {
      boolean mayTryAgain = status == 429 || status == 503;
      if (mayTryAgain && context.res().getHeader("Retry-After") == null) {
        context.header("Retry-After", "1");
      }
      context
          .status(status)
          .contentType(ProblemJson.MEDIA_TYPE)
          .result(json.getBytes(StandardCharsets.UTF_8));
    }
  }

  /**
   * Begins to listen.
   *
   * @param port 0 for any free port
   * @throws IllegalStateException if that is not possible; the message is one sentence with the
   *     reason
   */
  void listen(String host, int port) {
    connector.at(host, port);
    try {
      javalin.start(host, port);
    } catch (JavalinBindException e) {
      throw new IllegalStateException(
          "cannot listen on "
              + host
              + ":"
              + port
              + ": is the port in use, or the address not this machine's?",
          e);
    }
  }

  /** The URL scheme, http or https. */
  String scheme() {
    return certificate.isPresent() ? "https" : "http";
  }

  /** The port on which it listens. */
  int port() {
    return javalin.port();
  }

  /** Ends running requests, and stops listening. Never throws, and always returns. */
  @Override
  public void close() {
    stop(javalin::stop, STOP_MILLIS);
  }

  /**
   * Returns when the server has stopped or seems to hang, because the store must be closed next.
   */
  static void stop(Runnable server, long timeoutMillis) {
    Thread stopping = new Thread(() -> stopLogged(server), "http-stop");
    stopping.setDaemon(true);
    stopping.start();
    try {
      stopping.join(timeoutMillis);
      if (stopping.isAlive()) {
        logger.error(
            "the HTTP server has not stopped within {} ms and is left as it is; its threads: {}",
            timeoutMillis,
            threads());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void stopLogged(Runnable server) {
    try {
      server.run();
    } catch (RuntimeException e) {
      logger.error("the HTTP server did not stop in order", e);
    }
  }

  private static String threads() {
    StringBuilder text = new StringBuilder();
    Thread.getAllStackTraces()
        .forEach(
            (thread, stack) -> {
              if (thread.getName().startsWith("Jetty") || thread.getName().equals("http-stop")) {
                text.append('\n').append(thread);
                for (StackTraceElement frame : stack) {
                  text.append("\n    at ").append(frame);
                }
              }
            });
    return text.toString();
  }
}
