// SPDX-License-Identifier: Apache-2.0
package io.retroscope.benchmarks.alert;

import io.retroscope.recorder.EventLog;
import io.retroscope.recorder.Recorder;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/**
 * A measurement of the lag between {@code set} at a node and the rows at many clients, which follow
 * one query or many different ones, while other events come that each query evaluates. The server
 * is a process of its own.
 */
public final class SubscriberLag {
  private static final int NODES = 3;
  private static final int MAX_MARKS = 10_000;
  private static final long MARK_EVERY_NANOS = 200_000_000;
  private static final int WARM_UP_SECONDS = 3;

  /** The longest time until all clients have received a row. */
  private static final int MAX_OPENING_SECONDS = 120;

  /** An edge whenever m becomes odd or even, evaluated at each x; %d makes queries different. */
  private static final String QUERY =
      "SELECT STREAM m@n0 FROM t WHEN m@n0 %% 2 = 1 AND MAX(x) > %d EMIT EDGES";

  private static final byte[] MARK = "\"m@n0\":".getBytes(StandardCharsets.US_ASCII);

  private final ServerProcess server;
  private final int subscribers;
  private final int queries;
  private final AtomicLongArray setNanos = new AtomicLongArray(MAX_MARKS);
  private final Histogram lags = new ConcurrentHistogram(TimeUnit.SECONDS.toMicros(60), 3);
  private final AtomicInteger following = new AtomicInteger();
  private int marks;
  private int firstMark = MAX_MARKS;
  private volatile boolean ended;

  private SubscriberLag(ServerProcess server, int subscribers, int queries) {
    this.server = server;
    this.subscribers = subscribers;
    this.queries = queries;
  }

  /** Takes the number of clients, of different queries, the seconds, and the events a second. */
  public static void main(String[] args) throws Exception {
    try (ServerProcess server = ServerProcess.start()) {
      new SubscriberLag(server, Integer.parseInt(args[0]), Integer.parseInt(args[1]))
          .measure(Integer.parseInt(args[2]), Integer.parseInt(args[3]));
    }
  }

  private void measure(int seconds, int eventsPerSecond) throws Exception {
    List<Recorder> recorders = new ArrayList<>();
    for (int node = 0; node < NODES; node++) {
      recorders.add(Recorder.builder().node("n" + node).server(server.uri()).build());
    }
    try (Selector selector = Selector.open()) {
      record(recorders, 1, eventsPerSecond);
      for (int i = 0; i < subscribers; i++) {
        subscribe(selector, QUERY.formatted(-1 - i % queries));
      }
      Thread reader = new Thread(() -> read(selector), "subscribers");
      reader.setDaemon(true);
      reader.start();
      for (int i = 0; i < MAX_OPENING_SECONDS && following.get() < subscribers; i++) {
        record(recorders, 1, eventsPerSecond);
      }
      if (following.get() < subscribers) {
        throw new IllegalStateException("only " + following + " clients follow their query");
      }
      record(recorders, WARM_UP_SECONDS, eventsPerSecond);
      lags.reset();
      firstMark = marks;
      Duration serverBefore = server.cpu();
      Duration clientsBefore = cpu(reader);
      record(recorders, seconds, eventsPerSecond);
      double serverCores = server.cpu().minus(serverBefore).toNanos() / (seconds * 1e9);
      double clientCores = cpu(reader).minus(clientsBefore).toNanos() / (seconds * 1e9);
      TimeUnit.SECONDS.sleep(2);
      ended = true;
      reader.join();
      report(eventsPerSecond, serverCores, clientCores);
    } finally {
      recorders.forEach(Recorder::close);
    }
  }

  private static Duration cpu(Thread thread) {
    return Duration.ofNanos(ManagementFactory.getThreadMXBean().getThreadCpuTime(thread.getId()));
  }

  private void report(int eventsPerSecond, double serverCores, double clientCores) {
    System.out.printf(
        Locale.ROOT,
        "%,d clients of %d queries, %,d events/s, %,d of %,d rows: p50 %.1f ms, p99 %.1f ms,"
            + " longest %.1f ms; the server used %.2f cores, the thread of the clients %.2f%n",
        subscribers,
        queries,
        eventsPerSecond,
        lags.getTotalCount(),
        (long) subscribers * (marks - firstMark),
        lags.getValueAtPercentile(50) / 1e3,
        lags.getValueAtPercentile(99) / 1e3,
        lags.getMaxValue() / 1e3,
        serverCores,
        clientCores);
  }

  private void subscribe(Selector selector, String query) throws IOException {
    URI uri = server.uri();
    SocketChannel channel = SocketChannel.open(new InetSocketAddress(uri.getHost(), uri.getPort()));
    String path = "/v1/stream?query=" + URLEncoder.encode(query, StandardCharsets.UTF_8);
    String request = "GET %s HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n".formatted(path);
    channel.write(ByteBuffer.wrap(request.getBytes(StandardCharsets.UTF_8)));
    channel.configureBlocking(false);
    channel.register(selector, SelectionKey.OP_READ, new Scanner());
  }

  private void read(Selector selector) {
    ByteBuffer buffer = ByteBuffer.allocateDirect(1 << 16);
    try {
      while (!ended) {
        selector.select(100);
        for (SelectionKey key : selector.selectedKeys()) {
          buffer.clear();
          int count = ((SocketChannel) key.channel()).read(buffer);
          if (count < 0) {
            throw new IOException("a stream has ended");
          }
          ((Scanner) key.attachment()).scan(buffer.flip());
        }
        selector.selectedKeys().clear();
      }
    } catch (IOException e) {
      throw new IllegalStateException("a client failed", e);
    }
  }

  /** A search for the marks in what one client receives. */
  private final class Scanner {
    private int matched;
    private int mark;
    private boolean isFollowing;

    void scan(ByteBuffer bytes) {
      while (bytes.hasRemaining()) {
        byte next = bytes.get();
        if (matched < MARK.length) {
          matched = next == MARK[matched] ? matched + 1 : next == MARK[0] ? 1 : 0;
          mark = 0;
        } else if (next >= '0' && next <= '9') {
          mark = 10 * mark + next - '0';
        } else {
          matched = 0;
          arrived(mark);
          if (!isFollowing) {
            isFollowing = true;
            following.incrementAndGet();
          }
        }
      }
    }
  }

  private void arrived(int mark) {
    long set = mark < MAX_MARKS ? setNanos.get(mark) : 0;
    if (set != 0 && mark >= firstMark) {
      lags.recordValue((System.nanoTime() - set) / 1_000);
    }
  }

  private void record(List<Recorder> recorders, int seconds, int eventsPerSecond) {
    List<EventLog> logs = recorders.stream().map(recorder -> recorder.log("t")).toList();
    long start = System.nanoTime();
    long count = (long) seconds * eventsPerSecond;
    long nextMark = start;
    for (long i = 0; i < count; i++) {
      long due = start + i * TimeUnit.SECONDS.toNanos(1) / eventsPerSecond;
      long wait = due - System.nanoTime();
      if (wait > 200_000) {
        LockSupport.parkNanos(wait);
      }
      logs.get((int) (i % NODES)).set("x", i % 50);
      if (System.nanoTime() >= nextMark && marks < MAX_MARKS) {
        nextMark += MARK_EVERY_NANOS;
        setNanos.set(marks, System.nanoTime());
        logs.get(0).set("m", marks++);
      }
    }
  }
}
