// SPDX-License-Identifier: Apache-2.0
package io.retroscope.junit;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.retroscope.event.BlockFrame;
import io.retroscope.event.CorruptBlockException;
import io.retroscope.event.EventBlockCodec;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.zip.GZIPInputStream;

/**
 * The part of a log server that recorders send to, on a free port of the loopback interface. It
 * takes blocks in POSTs of {@code /v1/events}, as {@code docs/format/http.md} describes them, and
 * has neither a store nor queries. Thread-safe.
 */
final class LoopbackServer implements AutoCloseable {
  /** The longest batch, as in the log server. */
  private static final int MAX_BODY_BYTES = 64 << 20;

  private static final int THREADS = 4;
  private static final int MAX_REFUSALS = 20;

  private final HttpServer server;
  private final ExecutorService threads;
  private final Recording recording;
  private final List<String> refusals = new ArrayList<>();

  LoopbackServer(Recording recording) {
    this.recording = recording;
    try {
      server =
          HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), THREADS);
    } catch (IOException e) {
      throw new UncheckedIOException("no free port on the loopback interface", e);
    }
    threads =
        Executors.newFixedThreadPool(
            THREADS,
            task -> {
              Thread thread = new Thread(task, "retroscope-junit-server");
              thread.setDaemon(true);
              return thread;
            });
    server.setExecutor(threads);
    server.createContext("/", this::answer);
    server.start();
  }

  URI address() {
    return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
  }

  /** The reasons for which batches were refused, the first ones. */
  synchronized List<String> refusals() {
    return List.copyOf(refusals);
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      boolean events = exchange.getRequestURI().getPath().equals("/v1/events");
      if (events && exchange.getRequestMethod().equals("POST")) {
        store(exchange);
      } else {
        send(exchange, 404, "this is the receiver of a JUnit test: it takes POST /v1/events");
      }
    }
  }

  private void store(HttpExchange exchange) throws IOException {
    List<BlockFrame> frames;
    try {
      frames = EventBlockCodec.decodeAll(body(exchange));
      frames.forEach(recording::add);
    } catch (CorruptBlockException | IllegalStateException e) {
      refuse(String.valueOf(e.getMessage()));
      send(exchange, 400, String.valueOf(e.getMessage()));
      return;
    }
    send(exchange, 200, "{\"accepted\":" + frames.size() + "}");
  }

  private synchronized void refuse(String reason) {
    if (refusals.size() < MAX_REFUSALS) {
      refusals.add(reason);
    }
  }

  private static byte[] body(HttpExchange exchange) throws IOException {
    boolean packed = "gzip".equals(exchange.getRequestHeaders().getFirst("Content-Encoding"));
    InputStream raw = exchange.getRequestBody();
    try (InputStream in = packed ? new GZIPInputStream(raw) : raw) {
      byte[] body = in.readNBytes(MAX_BODY_BYTES + 1);
      if (body.length > MAX_BODY_BYTES) {
        throw new IllegalStateException("a batch has more than " + MAX_BODY_BYTES + " bytes");
      }
      return body;
    }
  }

  private static void send(HttpExchange exchange, int status, String text) throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(status, bytes.length);
    exchange.getResponseBody().write(bytes);
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
