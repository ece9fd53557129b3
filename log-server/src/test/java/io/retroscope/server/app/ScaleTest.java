// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.clock.PhysicalClock;
import io.retroscope.server.live.MonotonicClock;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.hamcrest.Matchers;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Costs that grow with what a server has ever stored: the list of nodes, live queries over many
 * lifetimes, and the watermark's tick over many incarnations. Prints the figures.
 *
 * <p>Small sizes unless properties name others. The full sizes:
 *
 * <pre>mvn test -Pslow -pl log-server -am -Dtest=ScaleTest -Dsurefire.failIfNoSpecifiedTests=false
 *     -Dretroscope.nodes=4000 -Dretroscope.incarnations=30000 -Dretroscope.events=400000
 *     -Dretroscope.streams=30 -Dretroscope.seconds=12</pre>
 */
@Timeout(1_800)
class ScaleTest {
  private static final int LINES_PER_BATCH = 2_000;
  private static final long HOUR_MICROS = TimeUnit.HOURS.toMicros(1);
  private static final Pattern ROW_STAMP = Pattern.compile("data: .*\"hlc\":\"([0-9.]+)\"");

  private final int nodes = Integer.getInteger("retroscope.nodes", 200);
  private final int incarnations = Integer.getInteger("retroscope.incarnations", 300);
  private final int events = Integer.getInteger("retroscope.events", 4_000);
  private final int streams = Integer.getInteger("retroscope.streams", 5);
  private final int seconds = Integer.getInteger("retroscope.seconds", 1);
  private final PhysicalClock clock = PhysicalClock.system();
  private final MonotonicClock stopwatch = MonotonicClock.system();

  @TempDir Path directory;

  @Test
  @Tag("slow")
  void nodes_many_areListed() throws Exception {
    try (ServerProcess server = ServerProcess.start(directory, List.of("-Xmx512m"))) {
      HttpProbe http = new HttpProbe(server.uri());
      long now = clock.micros();
      sendAll(http, nodes, i -> line("n" + i, "l", now, i));
      long nanos = Long.MAX_VALUE;
      for (int i = 0; i < 5; i++) {
        long begun = stopwatch.nanos();
        String body = http.get("/v1/nodes").body();
        nanos = Math.min(nanos, stopwatch.nanos() - begun);
        assertThat(body.split("\"name\":\"n", -1)).hasSize(nodes + 1);
      }
      print("/v1/nodes with %d nodes: %.1f ms at best of 5", nodes, nanos / 1e6);
    }
  }

  @Test
  @Tag("slow")
  void incarnations_many_costAnIdleServerLittle() throws Exception {
    try (ServerProcess server = ServerProcess.start(directory, List.of("-Xmx512m"))) {
      HttpProbe http = new HttpProbe(server.uri());
      long first = clock.micros() - 2 * HOUR_MICROS;
      sendAll(
          http,
          2 * incarnations,
          i ->
              "{\"node\":\"pod%d\",\"incarnation\":\"i%d\",\"hlc\":\"%s\",%s}\n"
                  .formatted(
                      i / 2 % 100,
                      i / 2,
                      HlcTimestamp.text(HlcTimestamp.pack(first + i * 1_000L)),
                      i % 2 == 0
                          ? "\"start\":{\"incarnation\":\"i" + i / 2 + "\"}"
                          : "\"stop\":true"));
      TimeUnit.SECONDS.sleep(seconds);
      Duration before = server.cpu();
      TimeUnit.SECONDS.sleep(seconds);
      print(
          "%d incarnations, idle: %.1f ms CPU per second, over %d s",
          incarnations, server.cpu().minus(before).toNanos() / 1e6 / seconds, seconds);
      assertThat(http.query("SHOW NODES").status()).isEqualTo(200);
    }
  }

  @Test
  @Tag("slow")
  void streams_overSparseEvents_haveEveryRow() throws Exception {
    try (ServerProcess server = ServerProcess.start(directory, List.of("-Xmx1g"))) {
      HttpProbe http = new HttpProbe(server.uri());
      int writers = 100;
      long first = clock.micros() - (events / writers + 1) * HOUR_MICROS;
      sendAll(
          http, events, i -> line("w" + i % writers, "past", first + i / writers * HOUR_MICROS, i));
      List<Stream> open = new ArrayList<>();
      for (int i = 0; i < streams; i++) {
        open.add(new Stream(http.stream("SELECT STREAM x FROM live", ""), clock));
      }
      int sent = 0;
      for (long end = stopwatch.nanos() + TimeUnit.SECONDS.toNanos(seconds);
          stopwatch.nanos() < end;
          TimeUnit.MILLISECONDS.sleep(50)) {
        assertThat(http.events(line("w0", "live", clock.micros(), ++sent)).status()).isEqualTo(200);
      }
      int expected = sent;
      for (Stream stream : open) {
        Awaitility.await()
            .atMost(Duration.ofMinutes(2))
            .until(stream::rows, Matchers.greaterThanOrEqualTo(expected));
        stream.close();
      }
      List<Long> lags = open.stream().flatMap(stream -> stream.lags().stream()).sorted().toList();
      print(
          "%d streams over %d sparse events: %d of %d rows each, lag p50 %.0f ms, p99 %.0f ms",
          streams,
          events,
          open.stream().mapToInt(Stream::rows).min().orElse(0),
          sent,
          lags.get(lags.size() / 2) / 1e3,
          lags.get(lags.size() * 99 / 100) / 1e3);
    }
  }

  private interface LineOf {
    String at(int index);
  }

  private static void sendAll(HttpProbe http, int count, LineOf lines) throws Exception {
    for (int from = 0; from < count; from += LINES_PER_BATCH) {
      StringBuilder batch = new StringBuilder();
      for (int i = from; i < Math.min(count, from + LINES_PER_BATCH); i++) {
        batch.append(lines.at(i));
      }
      assertThat(http.events(batch.toString()).body()).contains("\"accepted\"");
    }
  }

  private static String line(String node, String log, long micros, int x) {
    return "{\"node\":\"%s\",\"log\":\"%s\",\"hlc\":\"%s\",\"set\":{\"x\":%d}}\n"
        .formatted(node, log, HlcTimestamp.text(HlcTimestamp.pack(micros)), x);
  }

  private static void print(String format, Object... figures) {
    System.out.printf(Locale.ROOT, format + "%n", figures);
  }

  /** The rows of a live query, read by a thread of its own. Thread-safe. */
  private static final class Stream implements AutoCloseable {
    private final InputStream body;
    private final PhysicalClock clock;
    private final List<Long> lags = Collections.synchronizedList(new ArrayList<>());

    Stream(InputStream body, PhysicalClock clock) {
      this.body = body;
      this.clock = clock;
      Thread reader = new Thread(this::read, "stream");
      reader.setDaemon(true);
      reader.start();
    }

    private void read() {
      try (BufferedReader in =
          new BufferedReader(new InputStreamReader(body, StandardCharsets.UTF_8))) {
        String type = "";
        for (String line = in.readLine(); line != null; line = in.readLine()) {
          Matcher stamp = ROW_STAMP.matcher(line);
          if (line.startsWith("event: ")) {
            type = line;
          } else if (type.equals("event: row") && stamp.find()) {
            lags.add(clock.micros() - HlcTimestamp.micros(HlcTimestamp.parse(stamp.group(1))));
          }
        }
      } catch (IOException e) {
        // The test has closed the stream.
      }
    }

    int rows() {
      return lags.size();
    }

    /** In microseconds, from a row's stamp to its arrival. */
    List<Long> lags() {
      synchronized (lags) {
        return List.copyOf(lags);
      }
    }

    @Override
    public void close() throws IOException {
      body.close();
    }
  }
}
