// SPDX-License-Identifier: Apache-2.0
package io.retroscope.benchmarks.alert;

import io.retroscope.benchmarks.harness.Arguments;
import io.retroscope.benchmarks.recorder.WatchedSink;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.EventBlock;
import io.retroscope.recorder.EventLog;
import io.retroscope.recorder.Recorder;
import io.retroscope.sink.EventSink;
import io.retroscope.sink.HttpSink;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/**
 * A measurement of the lag between {@code set} at one of several nodes, all of which record, and
 * the event {@code note} at a client that listens, as a histogram, with the stages on the way. The
 * server is a process of its own.
 */
public final class NoteLag {
  private static final int NODES = 3;

  /** Notes are distinguished by their keys. */
  private static final int FIRST_KEY = 30;

  private static final int KEYS = 60;

  /** Few enough that the sound's limiter leaves each note its own. */
  private static final long NOTE_EVERY_NANOS = 200_000_000;

  private static final Pattern ROW = Pattern.compile("\"m@n0\":(\\d+)");
  private static final Pattern NOTE = Pattern.compile("\"kind\":\"mark\".*\"key\":(\\d+)");

  /** A stage of a note on its way, which begins at {@code set}. */
  private static final class Stage {
    private final String title;
    private final AtomicLongArray setNanos = new AtomicLongArray(FIRST_KEY + KEYS);
    private final Histogram lags = new ConcurrentHistogram(TimeUnit.SECONDS.toMicros(60), 3);

    Stage(String title) {
      this.title = title;
    }

    /** Notes that the value of a key has reached this stage. */
    void reached(int key, long nanos) {
      long set = setNanos.getAndSet(key, 0);
      if (set != 0) {
        lags.recordValue((nanos - set) / 1_000);
      }
    }

    void reached(Matcher key, long nanos) {
      if (key.find()) {
        reached(Integer.parseInt(key.group(1)), nanos);
      }
    }
  }

  private final Stage sealed = new Stage("its block passed to the sink");
  private final Stage stored = new Stage("its block stored by the server");
  private final Stage covered = new Stage("all nodes' promises up to it stored");
  private final Stage rowHeard = new Stage("its row received, as the watermark has passed it");
  private final Stage noteHeard = new Stage("its note received");
  private final List<Stage> stages = List.of(sealed, stored, covered, rowHeard, noteHeard);
  private final ServerProcess server;

  /** The last value that was set, and the lowest possible stamp of its event. */
  private volatile Awaited awaited = new Awaited(0, Long.MAX_VALUE);

  private record Awaited(int key, long micros) {}

  private NoteLag(ServerProcess server) {
    this.server = server;
  }

  /** Takes the seconds, and the events a second of each node. */
  public static void main(String[] args) throws Exception {
    Arguments given = new Arguments(args, "seconds, events per second");
    int seconds = given.number(0, 20);
    int eventsPerSecond = given.number(1, 1_000);
    try (ServerProcess server = ServerProcess.startWatched("n0")) {
      new NoteLag(server).measure(seconds, eventsPerSecond);
    }
  }

  private void measure(int seconds, int eventsPerSecond) throws Exception {
    List<Recorder> recorders = new ArrayList<>();
    for (int node = 0; node < NODES; node++) {
      EventSink sink = HttpSink.builder().server(server.uri()).build();
      recorders.add(
          Recorder.builder()
              .node("n" + node)
              .sink(node == 0 ? new WatchedSink(sink, this::noteSealed) : sink)
              .build());
    }
    try {
      recorders.get(0).log("t").set("m", FIRST_KEY);
      TimeUnit.SECONDS.sleep(1);
      try (InputStream notes = listen(server.uri())) {
        start("notes", () -> read(notes));
        start("stored", () -> server.follow(this::stored));
        record(recorders, 3, eventsPerSecond); // Until everything is compiled.
        for (Stage stage : stages) {
          stage.lags.reset();
        }
        record(recorders, seconds, eventsPerSecond);
        TimeUnit.SECONDS.sleep(1);
      }
    } finally {
      recorders.forEach(Recorder::close);
    }
    report(eventsPerSecond);
  }

  private static void start(String name, Runnable work) {
    Thread thread = new Thread(work, name);
    thread.setDaemon(true);
    thread.start();
  }

  private void report(int eventsPerSecond) throws IOException {
    Histogram lags = noteHeard.lags;
    if (lags.getTotalCount() == 0) {
      throw new IllegalStateException("no note came back: nothing is measured");
    }
    System.out.printf(
        "%d nodes at %,d events/s each, %,d notes, milliseconds from set to note:%n",
        NODES, eventsPerSecond, lags.getTotalCount());
    lags.outputPercentileDistribution(System.out, 2, 1_000.0);
    for (Stage stage : stages) {
      System.out.printf(
          "p50 %.1f ms, p99 %.1f ms, longest %.1f ms: %s%n",
          stage.lags.getValueAtPercentile(50) / 1e3,
          stage.lags.getValueAtPercentile(99) / 1e3,
          stage.lags.getMaxValue() / 1e3,
          stage.title);
    }
    System.out.println("The server's batches, until stored: " + server.meanOf("ingest"));
    System.out.println("The server's groups of submissions: " + server.meanOf("commit"));
    System.out.println("The server's syncs of its log: " + server.meanOf("fsync"));
  }

  private void stored(long lastHlc, long coveredHlc, long nanos) {
    reached(stored, lastHlc, nanos);
    reached(covered, coveredHlc, nanos);
  }

  private void reached(Stage stage, long hlc, long nanos) {
    Awaited next = awaited;
    if (HlcTimestamp.micros(hlc) >= next.micros()) {
      stage.reached(next.key(), nanos);
    }
  }

  /** A block of the node that sets the notes' values is passed to its sink. */
  private void noteSealed(EventBlock block) {
    reached(sealed, block.lastHlc(), System.nanoTime());
  }

  private void record(List<Recorder> recorders, int seconds, int eventsPerSecond) {
    List<EventLog> logs = recorders.stream().map(recorder -> recorder.log("t")).toList();
    long start = System.nanoTime();
    long count = (long) seconds * eventsPerSecond * NODES;
    long nextNote = start;
    int key = 0;
    for (long i = 0; i < count; i++) {
      long due = start + i * TimeUnit.SECONDS.toNanos(1) / ((long) eventsPerSecond * NODES);
      long wait = due - System.nanoTime();
      if (wait > 200_000) {
        LockSupport.parkNanos(wait);
      }
      EventLog log = logs.get((int) (i % NODES));
      log.set("x", i);
      if (System.nanoTime() >= nextNote) {
        nextNote += NOTE_EVERY_NANOS;
        key = (key + 1) % KEYS;
        set(logs.get(0), FIRST_KEY + key);
      }
    }
  }

  private void set(EventLog log, int key) {
    long now = System.nanoTime();
    for (Stage stage : stages) {
      stage.setNanos.set(key, now);
    }
    Instant instant = Instant.now();
    log.set("m", key);
    awaited =
        new Awaited(
            key,
            TimeUnit.SECONDS.toMicros(instant.getEpochSecond())
                + TimeUnit.NANOSECONDS.toMicros(instant.getNano()));
  }

  private static InputStream listen(URI server) throws IOException, InterruptedException {
    String query = "SELECT STREAM m@n0 FROM t PLAY wood NOTE m@n0";
    HttpRequest request =
        HttpRequest.newBuilder(
                server.resolve(
                    "/v1/stream?query=" + URLEncoder.encode(query, StandardCharsets.UTF_8)))
            .build();
    HttpResponse<InputStream> response =
        HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofInputStream());
    if (response.statusCode() != 200) {
      throw new IOException("the live query is refused: " + response.statusCode());
    }
    return response.body();
  }

  private void read(InputStream events) {
    try (BufferedReader in =
        new BufferedReader(new InputStreamReader(events, StandardCharsets.UTF_8))) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        long now = System.nanoTime();
        rowHeard.reached(ROW.matcher(line), now);
        noteHeard.reached(NOTE.matcher(line), now);
      }
    } catch (IOException e) {
      // The measurement is over.
    }
  }
}
