// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.client;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** An HTTP server that sends predefined responses in order and keeps the requests. */
final class ScriptedServer implements AutoCloseable {
  private final HttpServer server;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final Queue<Answer> answers = new ConcurrentLinkedQueue<>();
  final List<Request> requests = new CopyOnWriteArrayList<>();

  /** The parts of a request that tests check. */
  record Request(String method, URI uri, String accept, String lastEventId, String body) {}

  /** A response. An incomplete one declares a length that is too large. */
  private record Answer(int status, String contentType, String body, End end) {}

  private enum End {
    PROPER,
    BROKEN_OFF,
    /** The connection stays open but carries no more data. */
    SILENCE
  }

  ScriptedServer() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", this::handle);
    server.setExecutor(threads);
    server.start();
  }

  URI uri() {
    return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
  }

  void answer(int status, String contentType, String body) {
    answers.add(new Answer(status, contentType, body, End.PROPER));
  }

  void breakOff(String contentType, String body) {
    answers.add(new Answer(200, contentType, body, End.BROKEN_OFF));
  }

  void fallSilent(String contentType, String body) {
    answers.add(new Answer(200, contentType, body, End.SILENCE));
  }

  private void handle(HttpExchange exchange) throws IOException {
    requests.add(
        new Request(
            exchange.getRequestMethod(),
            exchange.getRequestURI(),
            String.valueOf(exchange.getRequestHeaders().getFirst("Accept")),
            String.valueOf(exchange.getRequestHeaders().getFirst("Last-Event-ID")),
            new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8)));
    Answer answer = answers.poll();
    if (answer == null) {
      exchange.close();
      return;
    }
    byte[] body = answer.body.getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().set("Content-Type", answer.contentType);
    exchange.sendResponseHeaders(answer.status, body.length + (answer.end == End.PROPER ? 0 : 10));
    exchange.getResponseBody().write(body);
    exchange.getResponseBody().flush();
    if (answer.end != End.SILENCE) {
      exchange.close();
    }
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
