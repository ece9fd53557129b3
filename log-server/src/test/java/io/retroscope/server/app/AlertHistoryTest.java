// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.clock.PhysicalClock;
import io.retroscope.event.Value;
import io.retroscope.event.Value.StringValue;
import io.retroscope.event.Value.StructValue;
import io.retroscope.rql.json.JsonValues;
import io.retroscope.server.alert.AlertOptions;
import java.io.IOException;
import java.io.PrintStream;
import java.net.http.HttpTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests that what a receiver believes in the end is what a query over the past finds, whatever
 * happens: events that come late, nodes that are silent and return, servers that are closed or
 * killed, disks that are full. The full number of rounds: {@code mvn test -Pslow -pl log-server -am
 * -Dtest=AlertHistoryTest -Dsurefire.failIfNoSpecifiedTests=false}; another number with {@code
 * -Dretroscope.rounds=N}, another seed with {@code -Dretroscope.seed=N}. The kills, up to number
 * {@code -Dkills=N}, can be interrupted: {@code target/alert-kills.log} has the options with which
 * they continue.
 */
@Timeout(14_400)
class AlertHistoryTest {
  /** The rules with the queries over the past that find their episodes. */
  private static final Map<String, String> RULES = rules();

  /** Several rules of each kind, which share their walks. */
  private static Map<String, String> rules() {
    Map<String, String> rules = new TreeMap<>();
    for (int i = 0; i < 3; i++) {
      rules.put("far" + i, "SELECT v FROM m WHEN SPREAD(v) >= %d EMIT INTERVALS".formatted(3 + i));
      rules.put(
          "long" + i,
          "SELECT v FROM m WHEN SPREAD(v) >= 2 FOR %dms EMIT INTERVALS".formatted(10 + 20 * i));
      rules.put(
          "high" + i,
          "SELECT n FROM m FOR EACH NODE n WHEN v@n >= %d EMIT INTERVALS".formatted(3 + i));
      rules.put(
          "unanswered" + i,
          "SELECT v FROM m WHEN SPREAD(v) >= %d NOT THEN SPREAD(v) <= 1 WITHIN 20ms"
              .formatted(2 + i));
      rules.put(
          "unannounced" + i,
          "SELECT v FROM m WHEN MAX(v) >= 4 NOT AFTER SPREAD(v) <= %d WITHIN 15ms EMIT INTERVALS"
              .formatted(i));
      rules.put(
          "old" + i,
          "SELECT v FROM m WHEN MAX(AGE(v)) >= %dms EMIT INTERVALS".formatted(12 + 9 * i));
    }
    return rules;
  }

  private static final List<String> NODES = List.of("a", "b", "c");

  /** The kills of one history; the next ones begin with an empty store and a seed of their own. */
  private static final int KILLS_TOGETHER = 25;

  @TempDir Path directory;
  private final long base = PhysicalClock.system().micros();
  private final List<String> refused = new ArrayList<>();
  private long millis;

  @Test
  void receiver_afterLateEventsSilencesAndRestarts_believesThePast() throws Exception {
    runRounds(2);
  }

  /** Events that come later than the late bound need an evaluation from an earlier checkpoint. */
  @Test
  void receiver_afterEventsThatComeTooLate_believesThePast() throws Exception {
    lateRounds(2);
  }

  @Test
  @Tag("slow")
  void receiver_afterManyEventsThatComeTooLate_believesThePast() throws Exception {
    lateRounds(Integer.getInteger("retroscope.rounds", 200));
  }

  private void lateRounds(int rounds) throws Exception {
    long seed = Long.getLong("retroscope.seed", System.nanoTime());
    Random random = new Random(seed);
    try (Hook hook = new Hook()) {
      prepare(hook);
      ServerConfig.Builder config = config(directory).lateBound(Duration.ofMillis(100));
      try (LogServer server = LogServer.start(config.build())) {
        for (int round = 0; round < rounds; round++) {
          traffic(new HttpProbe(server.uri()), random);
        }
        settle(new HttpProbe(server.uri()), hook, "seed " + seed);
      }
    }
  }

  @Test
  void receiver_afterKills_believesThePast() throws Exception {
    killRounds(directory, Long.getLong("retroscope.seed", System.nanoTime()), 2);
  }

  @Test
  @Tag("slow")
  void receiver_afterManyKills_believesThePast() throws Exception {
    int all = Integer.getInteger("kills", 1_000);
    int from = Integer.getInteger("kills.from", 0);
    long seed = Long.getLong("retroscope.seed", System.nanoTime());
    for (; from < all; from += KILLS_TOGETHER) {
      log(
          "kills %d of %d: continue with -Dretroscope.seed=%d -Dkills=%d -Dkills.from=%d"
              .formatted(from, all, seed, all, from));
      Path folder = Files.createDirectory(directory.resolve("kills" + from));
      killRounds(folder, seed + from, Math.min(KILLS_TOGETHER, all - from));
    }
    log("kills %d of %d: the end".formatted(all, all));
  }

  private static void log(String line) throws IOException {
    System.out.println(line);
    Files.writeString(
        Path.of("target", "alert-kills.log"),
        line + "\n",
        StandardOpenOption.CREATE,
        StandardOpenOption.APPEND);
  }

  @Test
  @Tag("slow")
  void receiver_afterManyLateEventsSilencesAndRestarts_believesThePast() throws Exception {
    runRounds(Integer.getInteger("retroscope.rounds", 200));
  }

  @Test
  @Tag("slow")
  void receiver_afterManyFullDisks_believesThePast() throws Exception {
    fullDisks(Integer.getInteger("retroscope.rounds", 30));
  }

  private void fullDisks(int count) throws Exception {
    long seed = Long.getLong("retroscope.seed", System.nanoTime());
    Random random = new Random(seed);
    Files.createDirectory(directory.resolve("data"));
    for (int i = 0; i < count; i++) {
      try (SmallDisk disk = SmallDisk.mount(directory.resolve("data"), 256);
          Hook hook = new Hook()) {
        prepare(hook);
        LogServer server = LogServer.start(config(directory).build());
        try {
          for (int time = 0; time < 3; time++) {
            traffic(new HttpProbe(server.uri()), random);
            disk.fillUp();
            if (random.nextInt(3) == 0) {
              server.close();
              server = LogServer.start(config(directory).build());
            }
            useFullDisk(new HttpProbe(server.uri()), random, "seed " + seed);
            disk.freeUp();
            sendAgain(new HttpProbe(server.uri()));
          }
          settle(new HttpProbe(server.uri()), hook, "seed " + seed);
        } finally {
          server.close();
        }
      }
    }
    System.out.println(
        "alerts: %d disks that were full 3 times from seed %d".formatted(count, seed));
  }

  private void useFullDisk(HttpProbe http, Random random, String seed) throws Exception {
    for (int i = 0; i < 100 && refused.isEmpty(); i++) {
      post(http, noise(random));
    }
    traffic(http, random);
    assertThat(refused).as(seed).isNotEmpty();
  }

  /** An event that fills the log of the store. */
  private String noise(Random random) {
    byte[] bytes = new byte[300_000];
    random.nextBytes(bytes);
    return event("d", ++millis, 1)
        .replace("\"log\":\"m\"", "\"log\":\"noise\"")
        .replace("\"v\":1", "\"v\":\"%s\"".formatted(Base64.getEncoder().encodeToString(bytes)));
  }

  /** Sends events; those for which the disk has no room are kept. */
  private void post(HttpProbe http, String events) throws Exception {
    HttpProbe.Reply reply = answer(http, events);
    if (reply.status() == 507) {
      refused.add(events);
    } else {
      assertThat(reply.status()).as(reply.body()).isEqualTo(200);
    }
  }

  /** Sends events, again if a busy machine does not answer in time: they are stored once. */
  private static HttpProbe.Reply answer(HttpProbe http, String events) throws Exception {
    for (int attempt = 1; ; attempt++) {
      try {
        return http.events(events);
      } catch (HttpTimeoutException e) {
        if (attempt == 5) {
          throw e;
        }
      }
    }
  }

  private void sendAgain(HttpProbe http) throws Exception {
    List<String> again = List.copyOf(refused);
    refused.clear();
    for (String events : again) {
      Awaitility.await()
          .atMost(Duration.ofSeconds(60))
          .untilAsserted(() -> assertThat(http.events(events).body()).contains("accepted"));
    }
  }

  private void runRounds(int rounds) throws Exception {
    long seed = Long.getLong("retroscope.seed", System.nanoTime());
    Random random = new Random(seed);
    try (Hook hook = new Hook()) {
      prepare(hook);
      LogServer server = LogServer.start(config(directory).build());
      try {
        for (int round = 0; round < rounds; round++) {
          traffic(new HttpProbe(server.uri()), random);
          if (random.nextBoolean()) {
            server.close();
            server = LogServer.start(config(directory).build());
          }
        }
        settle(new HttpProbe(server.uri()), hook, "seed " + seed);
      } finally {
        server.close();
      }
    }
  }

  private void killRounds(Path folder, long seed, int rounds) throws Exception {
    Random random = new Random(seed);
    try (Hook hook = new Hook()) {
      prepare(folder, hook);
      for (int round = 0; round < rounds; round++) {
        try (ServerProcess server = ServerProcess.start(folder, List.of("-Xmx256m"), Main.class)) {
          traffic(new HttpProbe(server.uri()), random);
          TimeUnit.MILLISECONDS.sleep(random.nextInt(400));
          server.kill();
        }
      }
      try (LogServer server = LogServer.start(config(folder).build())) {
        settle(new HttpProbe(server.uri()), hook, "seed " + seed);
      }
      System.out.println(
          "alerts: %d kills from seed %d, %d messages, %d keys"
              .formatted(
                  rounds, seed, hook.keys().size(), hook.keys().stream().distinct().count()));
    }
  }

  /** The program of a child process, which is killed. */
  public static final class Main {
    private Main() {}

    /**
     * Starts a server.
     *
     * @param args the directory
     */
    public static void main(String[] args) throws IOException {
      PrintStream address = System.out;
      System.setOut(System.err);
      LogServer server = LogServer.start(config(Path.of(args[0])).build());
      address.println(server.uri());
      System.exit(System.in.read());
    }
  }

  private static ServerConfig.Builder config(Path directory) {
    return ServerConfig.in(directory.resolve("data"))
        .port(0)
        .idleTimeout(Duration.ofMillis(101))
        .restartGrace(Duration.ofMillis(100))
        .alerts(
            new AlertOptions(
                Optional.of(directory.resolve("rules")),
                Optional.of(directory.resolve("receivers"))));
  }

  private void prepare(Hook hook) throws IOException {
    prepare(directory, hook);
  }

  private static void prepare(Path folder, Hook hook) throws IOException {
    Files.createDirectories(folder.resolve("rules"));
    Files.writeString(folder.resolve("receivers"), "ops webhook " + hook.url() + "\n");
    StringBuilder rules = new StringBuilder();
    RULES.forEach(
        (name, query) -> rules.append("CREATE ALERT %s AS (%s);\n".formatted(name, query)));
    Files.writeString(folder.resolve("rules/a.rql"), rules);
  }

  /** Sends events of a few hundred milliseconds, some late, some while a node is silent. */
  private void traffic(HttpProbe http, Random random) throws Exception {
    List<String> held = new ArrayList<>();
    String quiet = random.nextInt(3) == 0 ? NODES.get(random.nextInt(3)) : "";
    for (int step = 0; step < 12; step++) {
      StringBuilder now = new StringBuilder();
      for (String node : NODES) {
        millis += 1 + random.nextInt(10);
        String event = event(node, millis, random.nextInt(6));
        if (node.equals(quiet) || random.nextInt(8) == 0) {
          held.add(event);
        } else {
          now.append(event);
        }
      }
      if (now.length() > 0) {
        post(http, now.toString());
      }
      if (random.nextInt(4) == 0) {
        TimeUnit.MILLISECONDS.sleep(random.nextInt(150));
      }
    }
    for (String late : held) {
      post(http, late);
    }
  }

  private String event(String node, long at, int v) {
    return "{\"node\":\"%s\",\"log\":\"m\",\"hlc\":\"%s\",\"set\":{\"v\":%d}}\n"
        .formatted(node, HlcTimestamp.text(HlcTimestamp.pack(base + 1_000 * at)), v);
  }

  /** Lets everything end, with all nodes active, and compares. */
  private void settle(HttpProbe http, Hook hook, String seed) throws InterruptedException {
    AtomicBoolean isOver = new AtomicBoolean();
    Thread beats = new Thread(() -> beat(http, isOver), "beats");
    beats.start();
    try {
      Awaitility.await()
          .atMost(Duration.ofMinutes(5))
          .pollInterval(Duration.ofMillis(400))
          .ignoreException(HttpTimeoutException.class) // A busy machine.
          .untilAsserted(
              () -> assertThat(differing(hook.believed(), past(http))).as(seed).isEmpty());
      assertThat(hook.believed()).as(seed).isNotEmpty();
    } finally {
      isOver.set(true);
      beats.join();
    }
  }

  /** All nodes send often enough, so that none is silent. */
  private void beat(HttpProbe http, AtomicBoolean isOver) {
    try {
      while (!isOver.get()) {
        millis += 30;
        StringBuilder all = new StringBuilder();
        NODES.forEach(node -> all.append(event(node, millis, 1)));
        http.events(all.toString());
        TimeUnit.MILLISECONDS.sleep(20);
      }
    } catch (IOException | InterruptedException e) {
      // The comparison names the fault.
    }
  }

  private static List<String> differing(Map<String, String> believed, Map<String, String> past) {
    TreeSet<String> ids = new TreeSet<>(believed.keySet());
    ids.addAll(past.keySet());
    return ids.stream()
        .filter(id -> !Objects.equals(believed.get(id), past.get(id)))
        .map(id -> id + ": " + believed.get(id) + " is " + past.get(id))
        .toList();
  }

  /** The episodes of all rules by their identities, with their ends. */
  private static Map<String, String> past(HttpProbe http) throws Exception {
    Map<String, String> all = new TreeMap<>();
    for (Map.Entry<String, String> rule : RULES.entrySet()) {
      String body = http.query(rule.getValue()).body();
      for (String line : body.lines().toList()) {
        if (JsonValues.parse(line) instanceof StructValue row && row.fields().get("hlc") != null) {
          String item = row.fields().get("n") == null ? "" : "[" + text(row, "n") + "]";
          all.put(
              rule.getKey() + item + "@" + text(row, "hlc"),
              Value.of(true).equals(row.fields().get("open")) ? "holds" : text(row, "endHlc"));
        }
      }
    }
    return all;
  }

  private static String text(StructValue row, String column) {
    return row.fields().get(column) instanceof StringValue text ? text.value() : "";
  }
}
