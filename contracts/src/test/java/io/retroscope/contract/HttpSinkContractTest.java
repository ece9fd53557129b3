// SPDX-License-Identifier: Apache-2.0
package io.retroscope.contract;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.retroscope.event.BlockFrame;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBlockCodec;
import io.retroscope.sink.EventSink;
import io.retroscope.sink.HttpSink;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

class HttpSinkContractTest extends EventSinkContract {
  private final List<BlockFrame> frames = new CopyOnWriteArrayList<>();
  private HttpServer server;

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", this::handle);
    server.start();
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  private void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      if (!exchange.getRequestMethod().equals("POST")) {
        exchange.sendResponseHeaders(404, -1);
        return;
      }
      boolean packed = "gzip".equals(exchange.getRequestHeaders().getFirst("Content-Encoding"));
      InputStream body = exchange.getRequestBody();
      frames.addAll(
          EventBlockCodec.decodeAll((packed ? new GZIPInputStream(body) : body).readAllBytes()));
      byte[] answer = "{\"accepted\":1}".getBytes(StandardCharsets.UTF_8);
      exchange.sendResponseHeaders(200, answer.length);
      exchange.getResponseBody().write(answer);
    }
  }

  @Override
  protected EventSink open() {
    return HttpSink.builder()
        .server(URI.create("http://127.0.0.1:" + server.getAddress().getPort()))
        .build();
  }

  @Override
  protected List<EventBlock> delivered() {
    return frames.stream().map(EventBlock.class::cast).toList();
  }
}
