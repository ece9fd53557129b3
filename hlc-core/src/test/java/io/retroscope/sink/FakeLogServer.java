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
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.ToIntFunction;
import java.util.zip.GZIPInputStream;

/** A log server that keeps the frames it gets and answers as told. */
final class FakeLogServer implements AutoCloseable {
  final List<BlockFrame> frames = new CopyOnWriteArrayList<>();
  final List<Integer> requestSizes = new CopyOnWriteArrayList<>();
  volatile ToIntFunction<List<BlockFrame>> answer = batch -> 200;

  /** How many answers are still to stop after their headers. */
  final AtomicInteger unended = new AtomicInteger();

  private final HttpServer http;

  FakeLogServer() throws IOException {
    this(0);
  }

  FakeLogServer(int port) throws IOException {
    http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
    http.createContext("/v1/events", this::handle);
    http.start();
  }

  private void handle(HttpExchange exchange) throws IOException {
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
      exchange.sendResponseHeaders(status, -1);
    }
  }

  URI uri() {
    return URI.create("http://127.0.0.1:" + http.getAddress().getPort());
  }

  int port() {
    return http.getAddress().getPort();
  }

  /** The numbers of the blocks with events, in the order in which they came. */
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
