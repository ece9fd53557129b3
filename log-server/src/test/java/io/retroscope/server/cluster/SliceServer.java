// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.cluster;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.retroscope.rql.engine.QueryEngine;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/** A server that only walks slices, and breaks off after some bytes. */
final class SliceServer implements AutoCloseable {
  private final Slices slices;
  private final Supplier<QueryEngine> engine;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final ScheduledThreadPoolExecutor watch = Watch.newThread();
  private final AtomicInteger answered = new AtomicInteger();
  private final HttpServer server;
  private volatile int most = Integer.MAX_VALUE;

  SliceServer(Slices slices, Supplier<QueryEngine> engine) throws IOException {
    this.slices = slices;
    this.engine = engine;
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(threads);
    server.createContext(Slices.PATH, this::answer);
    server.start();
  }

  /** Answers end after some bytes from now on. */
  void breakOffAfter(int bytes) {
    most = bytes;
  }

  /** The number of answers to their end. */
  int answered() {
    return answered.get();
  }

  SliceHost host(String topicId) {
    URI address = URI.create("http://127.0.0.1:" + server.getAddress().getPort());
    HttpPart.Server at =
        new HttpPart.Server(
            HttpClient.newHttpClient(),
            address,
            ClusterFixture.TOKEN,
            Duration.ofSeconds(10),
            watch);
    return new SliceHost(at, topicId, Map.of());
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      Slices.Walk begun;
      try {
        begun = slices.begin(exchange.getRequestBody().readAllBytes(), engine.get());
      } catch (Readings.RefusedException e) {
        exchange.sendResponseHeaders(e.status(), -1);
        return;
      }
      try (Slices.Walk walk = begun) {
        exchange.sendResponseHeaders(200, 0);
        walk.run(new Breaking(exchange.getResponseBody(), most));
        answered.incrementAndGet();
      }
    }
  }

  private static final class Breaking extends FilterOutputStream {
    private int left;

    Breaking(OutputStream out, int left) {
      super(out);
      this.left = left;
    }

    @Override
    public void write(int b) throws IOException {
      write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int from, int count) throws IOException {
      out.write(bytes, from, Math.min(left, count));
      left -= Math.min(left, count);
      if (left == 0) {
        out.flush();
        throw new IOException("broken off");
      }
    }
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
    watch.shutdownNow();
  }
}
