// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.client;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.InMemoryEventSource;
import io.retroscope.rql.diagnostic.RqlException;
import io.retroscope.rql.engine.QueryEngine;
import io.retroscope.rql.evaluation.QueryLimits;
import io.retroscope.rql.json.ProblemJson;
import io.retroscope.rql.json.ResultWriter;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;

/** The contract over HTTP, where the same engine answers in the shell's own form. */
class RqlClientContractTest extends SessionContract {
  private final EventSource source = new InMemoryEventSource(EVENTS, ClockOffsets.UNKNOWN);
  private final QueryEngine engine = new QueryEngine(source, QueryLimits.DEFAULT);
  private HttpServer server;

  @Override
  Session open() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/v1/query", this::query);
    server.createContext("/v1/logs", exchange -> answer(exchange, 200, "application/json", logs()));
    server.createContext(
        "/v1/nodes", exchange -> answer(exchange, 200, "application/json", nodes()));
    server.start();
    return new RqlClient(URI.create("http://127.0.0.1:" + server.getAddress().getPort()));
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  private void query(HttpExchange exchange) throws IOException {
    String statement = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
    StringBuilder body = new StringBuilder();
    ResultWriter writer =
        new ResultWriter(
            line -> {
              body.append(line).append('\n');
              return true;
            });
    try {
      engine.run(engine.prepare(statement), writer);
      writer.end();
    } catch (RqlException e) {
      if (body.isEmpty()) {
        answer(exchange, 400, ProblemJson.MEDIA_TYPE, ProblemJson.text(400, e));
        return;
      }
      writer.problem(ProblemJson.text(422, e));
    }
    answer(exchange, 200, ResultWriter.MEDIA_TYPE, body.toString());
  }

  private String logs() {
    try (EventSource.View view = source.open()) {
      return view.logs().stream()
          .map(
              log ->
                  "{\"name\":\"%s\",\"events\":%d,\"variables\":[\"%s\"]}"
                      .formatted(
                          log.name(), log.eventCount(), String.join("\",\"", log.variables())))
          .collect(Collectors.joining(",", "{\"logs\":[", "]}"));
    }
  }

  private String nodes() {
    try (EventSource.View view = source.open()) {
      return view.nodes().stream()
          .map(
              node ->
                  "{\"name\":\"%s\",\"events\":%d,\"firstHlc\":\"%s\",\"lastHlc\":\"%s\"}"
                      .formatted(
                          node.name(),
                          node.eventCount(),
                          HlcTimestamp.text(node.firstHlc()),
                          HlcTimestamp.text(node.lastHlc())))
          .collect(Collectors.joining(",", "{\"nodes\":[", "]}"));
    }
  }

  private static void answer(HttpExchange exchange, int status, String contentType, String text)
      throws IOException {
    byte[] body = text.getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().set("Content-Type", contentType);
    exchange.sendResponseHeaders(status, body.length);
    exchange.getResponseBody().write(body);
    exchange.close();
  }
}
