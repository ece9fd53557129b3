// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.server.api.ApiLimits;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Many clients that follow the same query, of which some read slowly. */
@Timeout(240)
class SubscribersTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final long START_MICROS = 1_795_200_000_000_000L;
  private static final int QUEUE_BYTES = 256 << 10;

  /** Rows that the queue of a client that reads has room for. */
  private static final int BATCH = 40;

  /** Many more than there are threads that open streams. */
  private static final int DEAF_STREAMS = 60;

  private static final Pattern ROW = Pattern.compile("\"x@n\":(\\d+)");
  private static final Pattern LOST =
      Pattern.compile("\"from\":\"(\\d+)\\..*\"until\":\"(\\d+)\\.");

  @TempDir Path directory;

  /**
   * The timeout is much longer than any pause of the machine, so that no node becomes silent, and
   * the patience longer than any test.
   */
  @RegisterExtension
  final ServerExtension server =
      new ServerExtension(
          () ->
              ServerConfig.in(directory)
                  .idleTimeout(Duration.ofSeconds(60))
                  .apiLimits(
                      new ApiLimits(
                          4,
                          16,
                          2_000,
                          64,
                          100,
                          1 << 20,
                          Duration.ofMinutes(10),
                          QUEUE_BYTES,
                          Duration.ofMinutes(10))));

  private final HttpProbe http = new HttpProbe(server);

  @Test
  void stream_thirtySubscribers_eachGetsEveryRow() throws Exception {
    assertThat(received(30, 50)).allSatisfy(rows -> assertThat(rows).isEqualTo(upTo(50)));
  }

  @Tag("slow")
  @Test
  void stream_aThousandSubscribers_eachGetsEveryRow() throws Exception {
    assertThat(received(1_000, 100)).allSatisfy(rows -> assertThat(rows).isEqualTo(upTo(100)));
    assertThat(http.get("/metrics").body()).contains("retroscope_streams_running 1000.0");
  }

  /** A client that reads nothing delays no other one, and then learns which rows it lost. */
  @Test
  void stream_slowSubscriber_isToldWhatItLostAndContinues() throws Exception {
    String padding = "y".repeat(2_000);
    String query = "SELECT STREAM x@n, p@n FROM t WHEN COUNT(x) > 0 EMIT CUTS";
    int count = 100 * BATCH;
    send(0, 1, padding);
    try (Subscriber slow = new Subscriber(server.uri(), query, 4_096);
        Subscriber quick = new Subscriber(server.uri(), query, 1 << 20)) {
      quick.begin();
      slow.begin();
      CompletableFuture<List<Integer>> all = quick.rows(line -> line.contains(":" + count + ","));
      for (int i = 1; i <= count; i += BATCH) {
        send(i, BATCH, padding);
        int sent = i + BATCH - 1;
        Awaitility.await()
            .atMost(PATIENCE)
            .pollInterval(Duration.ofMillis(2))
            .until(() -> quick.seen >= sent);
      }
      assertThat(all.get(60, TimeUnit.SECONDS)).isEqualTo(upTo(count));

      CompletableFuture<List<Integer>> rest =
          slow.rows(line -> line.contains(":" + 2 * count + ","));
      Awaitility.await().atMost(PATIENCE).until(() -> !slow.lost.isEmpty());
      send(2 * count, 1, "");
      List<Integer> expected = new ArrayList<>(upTo(count));
      expected.add(2 * count);
      List<Integer> seen = rest.get(60, TimeUnit.SECONDS);
      assertThat(seen).doesNotHaveDuplicates().hasSizeLessThan(expected.size());
      expected.removeIf(x -> slow.hasLost(START_MICROS + x));
      assertThat(seen).containsAll(expected).isSubsetOf(plus(upTo(count), 2 * count));
    }
  }

  /** Few threads open streams, so that none of them may wait for a client. */
  @Test
  @Timeout(60)
  void stream_clientsOfHttp2ThatAcceptNothing_doNotKeepOthersFromOpeningOne() throws Exception {
    String query = "SELECT STREAM x@n FROM t WHEN COUNT(x) > 0 EMIT CUTS";
    send(0, 1, "");
    try (RawConnection deaf = new RawConnection(server.uri())) {
      deaf.send(streamsWithoutWindow(query, DEAF_STREAMS));
      Awaitility.await()
          .atMost(PATIENCE)
          .until(() -> !http.get("/metrics").body().contains("retroscope_streams_running 0.0"));
      try (Subscriber other = new Subscriber(server.uri(), query, 1 << 16)) {
        other.begin();
      }
    }
  }

  /** The frames of RFC 9113 that open streams of which the client accepts no bytes. */
  private static byte[] streamsWithoutWindow(String query, int streams) {
    ByteArrayOutputStream frames = new ByteArrayOutputStream();
    frames.writeBytes("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.UTF_8));
    byte[] noWindow = {0, 4, 0, 0, 0, 0};
    writeFrame(frames, 4, 0, 0, noWindow);
    String path = "/v1/stream?query=" + URLEncoder.encode(query, StandardCharsets.UTF_8);
    ByteArrayOutputStream head = new ByteArrayOutputStream();
    head.writeBytes(new byte[] {(byte) 0x82, (byte) 0x86}); // GET, http
    writeField(head, 4, path);
    writeField(head, 1, "127.0.0.1");
    for (int i = 0; i < streams; i++) {
      writeFrame(frames, 1, 5, 2 * i + 1, head.toByteArray());
    }
    return frames.toByteArray();
  }

  private static void writeFrame(
      ByteArrayOutputStream frames, int type, int flags, int stream, byte[] payload) {
    frames.writeBytes(new byte[] {0, 0, (byte) payload.length, (byte) type, (byte) flags});
    frames.writeBytes(new byte[] {0, 0, 0, (byte) stream});
    frames.writeBytes(payload);
  }

  /** A header field whose name is in HPACK's static table, with a short value. */
  private static void writeField(ByteArrayOutputStream head, int name, String value) {
    head.writeBytes(new byte[] {(byte) name, (byte) value.length()});
    head.writeBytes(value.getBytes(StandardCharsets.UTF_8));
  }

  private List<List<Integer>> received(int subscribers, int rows) throws Exception {
    List<Subscriber> all = new ArrayList<>();
    send(0, 1, "");
    try {
      String query = "SELECT STREAM x@n FROM t WHEN COUNT(x) > 0 EMIT CUTS";
      for (int i = 0; i < subscribers; i++) {
        all.add(new Subscriber(server.uri(), query, 1 << 16));
      }
      for (Subscriber subscriber : all) {
        subscriber.begin();
      }
      List<CompletableFuture<List<Integer>>> received = new ArrayList<>();
      for (Subscriber subscriber : all) {
        received.add(subscriber.rows(line -> line.contains(":" + rows + "}")));
      }
      for (int i = 1; i <= rows; i++) {
        send(i, 1, "");
      }
      List<List<Integer>> result = new ArrayList<>();
      for (CompletableFuture<List<Integer>> each : received) {
        result.add(each.get(120, TimeUnit.SECONDS));
      }
      return result;
    } finally {
      for (Subscriber subscriber : all) {
        subscriber.close();
      }
    }
  }

  private static List<Integer> upTo(int count) {
    return IntStream.rangeClosed(1, count).boxed().toList();
  }

  private static List<Integer> plus(List<Integer> some, int last) {
    List<Integer> all = new ArrayList<>(some);
    all.add(last);
    return all;
  }

  /** Sends consecutive values, each with a stamp of its own, and a heartbeat after them. */
  private void send(int first, int count, String padding) throws Exception {
    StringBuilder lines = new StringBuilder();
    for (int x = first; x < first + count; x++) {
      lines.append(
          "{\"node\":\"n\",\"log\":\"t\",\"hlc\":\"%d.0\",\"set\":{\"x\":%d,\"p\":\"%s\"}}\n"
              .formatted(START_MICROS + x, x, padding));
    }
    lines.append(
        "{\"node\":\"n\",\"hlc\":\"%d.1\",\"heartbeat\":true}\n"
            .formatted(START_MICROS + first + count - 1));
    assertThat(http.events(lines.toString()).status()).isEqualTo(200);
  }

  /** A client of one stream, which reads only on demand. */
  private static final class Subscriber implements AutoCloseable {
    private final Socket socket = new Socket();
    private final BufferedReader in;
    private volatile int seen;
    private final List<long[]> lost = new CopyOnWriteArrayList<>();

    Subscriber(URI server, String query, int receiveBytes) throws IOException {
      socket.setReceiveBufferSize(receiveBytes);
      socket.connect(new InetSocketAddress(server.getHost(), server.getPort()));
      String path = "/v1/stream?query=" + URLEncoder.encode(query, StandardCharsets.UTF_8);
      String request = "GET %s HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n".formatted(path);
      socket.getOutputStream().write(request.getBytes(StandardCharsets.UTF_8));
      in =
          new BufferedReader(
              new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8), 1 << 10);
    }

    /** Waits for the first progress: events after it have its rows. */
    void begin() throws IOException {
      String line = String.valueOf(in.readLine());
      while (!line.startsWith("event: progress")) {
        line = String.valueOf(in.readLine());
        if (line.equals("null") || line.startsWith("event: problem")) {
          throw new IOException("the stream did not begin");
        }
      }
    }

    /** The values of the rows from now on up to a certain one. */
    CompletableFuture<List<Integer>> rows(Predicate<String> last) {
      CompletableFuture<List<Integer>> rows = new CompletableFuture<>();
      Thread thread =
          new Thread(
              () -> {
                try {
                  rows.complete(read(last));
                } catch (IOException e) {
                  rows.completeExceptionally(e);
                }
              },
              "subscriber");
      thread.setDaemon(true);
      thread.start();
      return rows;
    }

    private List<Integer> read(Predicate<String> last) throws IOException {
      List<Integer> rows = new ArrayList<>();
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        Matcher row = ROW.matcher(line);
        if (row.find()) {
          seen = Integer.parseInt(row.group(1));
          rows.add(seen);
          if (last.test(line)) {
            return rows;
          }
        }
        Matcher range = LOST.matcher(line);
        if (range.find()) {
          lost.add(new long[] {Long.parseLong(range.group(1)), Long.parseLong(range.group(2))});
        }
      }
      throw new IOException("the stream ended after " + rows.size() + " rows");
    }

    boolean hasLost(long micros) {
      return lost.stream().anyMatch(range -> range[0] <= micros && micros <= range[1]);
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }
}
