// SPDX-License-Identifier: Apache-2.0
package io.retroscope.benchmarks.ingest;

import io.retroscope.recorder.EventLog;
import io.retroscope.recorder.Recorder;
import io.retroscope.sink.EventSink;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A measurement of the lag between {@code set} in a service and the row of a live query at a
 * client.
 */
final class LiveLag {
  private static final int EVENTS_PER_SECOND = 200;
  private static final int PATIENCE_SECONDS = 60;
  private static final Pattern ROW = Pattern.compile("\"r1\":\\{\"n0\":(\\d+)");

  private final URI server;
  private final List<EventSink> sinks;

  LiveLag(URI server, List<EventSink> sinks) {
    this.server = server;
    this.sinks = sinks;
  }

  /** Records at one node for a while; the others only send heartbeats. */
  String measure(int seconds) throws Exception {
    return describe(lags(seconds));
  }

  /** The lags of the rows in nanoseconds, ascending. */
  long[] lags(int seconds) throws Exception {
    int count = seconds * EVENTS_PER_SECOND;
    AtomicLongArray recordedNanos = new AtomicLongArray(count);
    List<Recorder> recorders =
        sinks.stream()
            .map(sink -> Recorder.builder().node("n" + sinks.indexOf(sink)).sink(sink).build())
            .toList();
    try {
      EventLog log = recorders.get(0).log("setd");
      // The log and its variable must exist before a live query may name them.
      log.set("r1", 0);
      TimeUnit.SECONDS.sleep(1);
      try (InputStream rows = stream()) {
        CompletableFuture<long[]> lags =
            CompletableFuture.supplyAsync(() -> read(rows, recordedNanos));
        TimeUnit.MILLISECONDS.sleep(500);
        long start = System.nanoTime();
        for (int version = 1; version < count; version++) {
          long due = start + version * TimeUnit.SECONDS.toNanos(1) / EVENTS_PER_SECOND;
          LockSupport.parkNanos(due - System.nanoTime());
          recordedNanos.set(version, System.nanoTime());
          log.set("r1", version);
        }
        long[] sorted = lags.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        Arrays.sort(sorted);
        return sorted;
      }
    } finally {
      recorders.forEach(Recorder::close);
    }
  }

  private InputStream stream() throws IOException, InterruptedException {
    String query = URLEncoder.encode("SELECT STREAM r1 FROM setd", StandardCharsets.UTF_8);
    HttpRequest request =
        HttpRequest.newBuilder(server.resolve("/v1/stream?query=" + query)).build();
    HttpResponse<InputStream> response =
        HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofInputStream());
    if (response.statusCode() != 200) {
      throw new IOException("the live query is refused: " + response.statusCode());
    }
    return response.body();
  }

  private static long[] read(InputStream rows, AtomicLongArray recordedNanos) {
    long[] lags = new long[recordedNanos.length()];
    try (BufferedReader in =
        new BufferedReader(new InputStreamReader(rows, StandardCharsets.UTF_8))) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        Matcher row = ROW.matcher(line);
        if (row.find()) {
          int version = Integer.parseInt(row.group(1));
          if (version > 0) {
            lags[version] = System.nanoTime() - recordedNanos.get(version);
          }
          if (version == lags.length - 1) {
            return Arrays.copyOfRange(lags, 1, lags.length);
          }
        }
      }
      throw new IOException("the stream has ended");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The percentiles of ascending lags. */
  static String describe(long[] lags) {
    return String.format(
        Locale.ROOT,
        "p50 %.1f ms, p99 %.1f ms, longest %.1f ms of %,d rows",
        lags[lags.length / 2] / 1e6,
        p99(lags) / 1e6,
        lags[lags.length - 1] / 1e6,
        lags.length);
  }

  /** Of ascending lags, in nanoseconds. */
  static long p99(long[] lags) {
    return lags[(int) (lags.length * 0.99)];
  }
}
