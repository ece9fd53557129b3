// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sink;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.retroscope.event.BlockFrame;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBlockCodec;
import io.retroscope.event.LostBlocks;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.ToIntFunction;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;

/** A log server that keeps the received frames and gives scripted answers. */
final class FakeLogServer implements AutoCloseable {
  final List<BlockFrame> frames = new CopyOnWriteArrayList<>();
  final List<Integer> requestSizes = new CopyOnWriteArrayList<>();
  volatile ToIntFunction<List<BlockFrame>> answer = batch -> 200;

  /** The body to answer with instead of a log server's answer. */
  volatile @Nullable String body;

  final Map<String, List<String>> headers = new ConcurrentHashMap<>();
  final List<String> exchanges = new CopyOnWriteArrayList<>();
  final List<String> authorizations = new CopyOnWriteArrayList<>();

  /** The number of further answers that stop after their headers. */
  final AtomicInteger unended = new AtomicInteger();

  private final HttpServer http;

  FakeLogServer() throws IOException {
    this(0);
  }

  FakeLogServer(int port) throws IOException {
    http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
    http.createContext("/", this::handle);
    http.start();
  }

  void handle(HttpExchange exchange) throws IOException {
    exchanges.add(exchange.getRequestMethod() + " " + exchange.getRequestURI());
    if (!exchange.getRequestMethod().equals("POST")) {
      exchange.sendResponseHeaders(404, -1);
      exchange.close();
      return;
    }
    String authorization = exchange.getRequestHeaders().getFirst("Authorization");
    authorizations.add(authorization == null ? "" : authorization);
    if (unended.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
      exchange.getRequestBody().readAllBytes();
      exchange.sendResponseHeaders(200, 10);
      exchange.getResponseBody().flush();
      return;
    }
    try (exchange) {
      boolean gzip = "gzip".equals(exchange.getRequestHeaders().getFirst("Content-Encoding"));
      InputStream raw = exchange.getRequestBody();
      byte[] body = (gzip ? new GZIPInputStream(raw) : raw).readAllBytes();
      List<BlockFrame> batch = EventBlockCodec.decodeAll(body);
      int status = answer.applyAsInt(batch);
      if (status == 200) {
        frames.addAll(batch);
        requestSizes.add(batch.size());
      }
      byte[] text = body(status, batch).getBytes(StandardCharsets.UTF_8);
      exchange.getResponseHeaders().putAll(headers);
      exchange.sendResponseHeaders(status, text.length);
      exchange.getResponseBody().write(text);
    }
  }

  private String body(int status, List<BlockFrame> batch) {
    int events =
        batch.stream().mapToInt(f -> f instanceof EventBlock block ? block.size() : 0).sum();
    return body != null
        ? body
        : status == 200
            ? "{\"accepted\":" + events + "}"
            : "{\"title\":\"Refused\",\"status\":" + status + ",\"detail\":\"as it was told\"}";
  }

  URI uri() {
    return URI.create("http://127.0.0.1:" + http.getAddress().getPort());
  }

  int port() {
    return http.getAddress().getPort();
  }

  /** The numbers of the blocks with events, in the order of arrival. */
  List<Long> numbers() {
    return frames.stream()
        .filter(frame -> frame instanceof EventBlock block && !block.isEmpty())
        .map(frame -> ((EventBlock) frame).number())
        .toList();
  }

  List<LostBlocks> lost() {
    return frames.stream()
        .filter(LostBlocks.class::isInstance)
        .map(LostBlocks.class::cast)
        .toList();
  }

  @Override
  public void close() {
    http.stop(0);
  }
}
