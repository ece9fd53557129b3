// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.PhysicalClock;
import io.retroscope.event.Value;
import io.retroscope.event.Value.SetValue;
import io.retroscope.event.Value.StructValue;
import io.retroscope.recorder.Recorder;
import io.retroscope.rql.json.JsonValues;
import io.retroscope.server.alert.AlertOptions;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests that no alert is resolved because a node fails: one that is killed, one that hangs, one
 * behind a cut or a lossy link, and one whose clock is 10 min ahead. Each has a log and an alert of
 * its own, whose other values two healthy nodes write. Another number of rounds with {@code
 * -Dretroscope.rounds=N}, another seed with {@code -Dretroscope.seed=N}.
 */
@Timeout(3_600)
class AlertFaultsTest {
  private static final List<String> FAULTS = List.of("killed", "hung", "cut", "lossy", "ahead");

  /** Those of which nothing is heard meanwhile. */
  private static final List<String> SILENT = List.of("killed", "hung", "cut", "ahead");

  /** The time after which the health must say what is missing. */
  private static final long LIMIT_MICROS = TimeUnit.SECONDS.toMicros(5);

  private static final long AHEAD_MICROS = TimeUnit.MINUTES.toMicros(10);
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @TempDir Path directory;

  private final Map<String, Recorder> recorders = new HashMap<>();
  private final Map<String, NodeProcess> processes = new HashMap<>();
  private final AtomicLong leadMicros = new AtomicLong();
  private Hook hook;
  private LogServer server;
  private HttpProbe http;
  private FaultyLink cut;
  private FaultyLink lossy;

  private void start(Duration idle, long seed) throws IOException {
    hook = new Hook();
    Files.createDirectory(directory.resolve("rules"));
    StringBuilder rules = new StringBuilder();
    FAULTS.forEach(
        fault ->
            rules.append(
                "CREATE ALERT %1$s AS (NEVER SPREAD(v) >= 2 FROM %1$s);\n".formatted(fault)));
    Files.writeString(directory.resolve("rules/a.rql"), rules);
    Files.writeString(directory.resolve("receivers"), "ops webhook " + hook.url() + "\n");
    server =
        LogServer.start(
            ServerConfig.in(directory.resolve("data"))
                .port(0)
                .idleTimeout(idle)
                .alerts(
                    new AlertOptions(
                        Optional.of(directory.resolve("rules")),
                        Optional.of(directory.resolve("receivers"))))
                .build());
    http = new HttpProbe(server.uri());
    cut = new FaultyLink(server.uri(), new Random(seed));
    lossy = new FaultyLink(server.uri(), new Random(seed));
    record("a", server.uri(), PhysicalClock.system());
    record("b", server.uri(), PhysicalClock.system());
    record("cut", cut.uri(), PhysicalClock.system());
    record("lossy", lossy.uri(), PhysicalClock.system());
    startAhead();
    processes.put("hung", NodeProcess.start(server.uri(), "node-hung", "hung"));
    processes.put("killed", NodeProcess.start(server.uri(), "node-killed", "killed"));
  }

  private void startAhead() {
    record("ahead", server.uri(), () -> PhysicalClock.system().micros() + leadMicros.get());
  }

  private void record(String name, URI uri, PhysicalClock clock) {
    recorders.put(
        name, Recorder.builder().node("node-" + name).server(uri).physicalClock(clock).build());
  }

  @AfterEach
  void stop() throws IOException {
    processes.values().forEach(NodeProcess::close);
    recorders.values().forEach(Recorder::close);
    cut.close();
    lossy.close();
    server.close();
    hook.close();
  }

  @Test
  void faultOfANode_resolvesNothing_andEachEpisodeIsThatOfThePast() throws Exception {
    start(Duration.ofMillis(500), 1);
    round(1, Duration.ZERO);
  }

  @Test
  @Tag("slow")
  void manyFaultsOfNodes_resolveNothing_andTheHealthSaysSoWithinSeconds() throws Exception {
    long seed = Long.getLong("retroscope.seed", System.nanoTime());
    System.out.println("faults of nodes: seed " + seed);
    Random random = new Random(seed);
    start(Duration.ofSeconds(1), seed);
    int rounds = Integer.getInteger("retroscope.rounds", 20);
    for (int round = 1; round <= rounds; round++) {
      round(round, Duration.ofMillis(random.nextInt(8_000)));
    }
  }

  /** All alerts rise, all faulty nodes fail, and return. */
  private void round(int round, Duration length) throws Exception {
    healthy(1);
    faulty(1);
    faulty(5);
    await(() -> holding().containsAll(FAULTS));
    int before = hook.messages().size();
    fail();
    // All values are equal now, as far as is known.
    healthy(5);
    long until = PhysicalClock.system().micros() + TimeUnit.NANOSECONDS.toMicros(length.toNanos());
    long failed = PhysicalClock.system().micros();
    await(
        () -> {
          long asked = PhysicalClock.system().micros();
          Map<String, String> states = states();
          if (asked > failed + LIMIT_MICROS) {
            SILENT.forEach(fault -> assertThat(states.get(fault)).doesNotEndWith(" ok"));
          }
          SILENT.forEach(fault -> assertThat(states.get(fault)).isNotEqualTo("recovering ok"));
          assertThat(ends(before)).as("round %d", round).doesNotContainAnyElementsOf(SILENT);
          return asked >= until
              && SILENT.stream()
                  .allMatch(fault -> states.get(fault).startsWith("recovering partial: "));
        });
    mend();
    faulty(5);
    await(() -> hook.believed().equals(past()) && holding().isEmpty());
    assertThat(ends(before)).containsAll(FAULTS);
    // An end that has to be taken back was a false all-clear.
    assertThat(hook.words()).noneMatch(word -> word.endsWith(" firing!"));
    SILENT.forEach(
        fault -> assertThat(ends(before)).filteredOn(fault::equals).as(fault).hasSize(1));
  }

  private void healthy(long value) {
    for (String node : List.of("a", "b")) {
      Recorder recorder = recorders.get(node);
      FAULTS.forEach(fault -> recorder.log(fault).set("v", value));
      assertThat(recorder.flush(PATIENCE)).isTrue();
    }
  }

  private void faulty(long value) throws IOException {
    for (String fault : FAULTS) {
      NodeProcess process = processes.get(fault);
      if (process != null) {
        process.set(value);
      } else {
        recorders.get(fault).log(fault).set("v", value);
        assertThat(recorders.get(fault).flush(PATIENCE)).as(fault).isTrue();
      }
    }
  }

  private void fail() throws Exception {
    processes.get("hung").hang();
    processes.remove("killed").close();
    cut.cut();
    // The value by which the episode continues, although the server does not hear of it.
    recorders.get("cut").log("cut").set("v", 9);
    lossy.lose(30);
    recorders.get("lossy").log("lossy").set("v", 9);
    leadMicros.set(AHEAD_MICROS);
    recorders.get("ahead").log("ahead").set("v", 5);
  }

  private void mend() throws Exception {
    processes.get("hung").resume();
    processes.put("killed", NodeProcess.start(server.uri(), "node-killed", "killed"));
    cut.mend();
    lossy.mend();
    leadMicros.set(0);
    recorders.get("ahead").close();
    startAhead();
  }

  /** The alerts whose last episode holds, as far as a reader of the messages knows. */
  private List<String> holding() {
    return hook.believed().entrySet().stream()
        .filter(episode -> episode.getValue().equals("holds"))
        .map(episode -> episode.getKey().replaceAll("@.*", ""))
        .toList();
  }

  /** The alerts of the messages since then that report an end. */
  private List<String> ends(int since) {
    List<String> words = hook.words();
    return words.subList(since, words.size()).stream()
        .filter(word -> word.contains(" resolved"))
        .map(word -> word.replaceAll(" .*", ""))
        .toList();
  }

  /** The state and the health of each alert. */
  private Map<String, String> states() throws Exception {
    Map<String, String> states = new TreeMap<>();
    StructValue all = (StructValue) JsonValues.parse(http.get("/v1/alerts").body());
    for (Value row : ((SetValue) all.fields().get("alerts")).elements()) {
      StructValue alert = (StructValue) row;
      states.put(
          Hook.text(alert, "alert"), Hook.text(alert, "state") + " " + Hook.text(alert, "health"));
    }
    return states;
  }

  /** The ends of all episodes, as a query over the past finds them. */
  private Map<String, String> past() throws Exception {
    Map<String, String> past = new TreeMap<>();
    for (String fault : FAULTS) {
      String query = "SELECT v FROM %s WHEN SPREAD(v) >= 2 EMIT INTERVALS".formatted(fault);
      for (String line : http.query(query).body().lines().toList()) {
        if (JsonValues.parse(line) instanceof StructValue row && row.fields().get("hlc") != null) {
          past.put(
              fault + "@" + Hook.text(row, "hlc"),
              Value.of(true).equals(row.fields().get("open")) ? "holds" : Hook.text(row, "endHlc"));
        }
      }
    }
    return past;
  }

  private static void await(Callable<Boolean> condition) {
    Awaitility.await().atMost(PATIENCE).until(condition);
  }
}
