// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.retroscope.broker.KafkaBroker;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.clock.PhysicalClock;
import io.retroscope.event.EventBlockCodec;
import io.retroscope.event.LostBlocks;
import io.retroscope.server.alert.AlertOptions;
import io.retroscope.server.store.StoreOptions;
import io.retroscope.server.store.disk.Database;
import io.retroscope.server.store.disk.OpenRocks;
import io.retroscope.server.store.disk.StoreSchema;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.RocksDBException;
import org.rocksdb.WriteBatch;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** Tests the alert rules for Prometheus with its own programs, where the package is installed. */
@Timeout(300)
class PrometheusTest {
  private static final Path RULES = Path.of("../docs/alerts.yml");

  /**
   * For each alert, series of an instance that is well for an hour and then has its fault for an
   * hour, a sample each minute. An alert that ends with an exclamation mark sums by instance. Nodes
   * that are all silent are missing too, but not yet for as long as that alert waits.
   */
  private static final String SERIES =
      """
      Down             up                                       1x60 0x60
      NotReady         retroscope_ready                         1x60 0x60
      StoreNotWritable retroscope_store_writable                1x60 0x60
      DiskFillsUp      retroscope_disk_free_bytes               900000000000x60 1000000000x60
      ThreadEnded      retroscope_threads_ended                 0x60 1x60
      BlocksDamaged    retroscope_blocks_damaged                0x60 3x60
      PartitionHolds   retroscope_cluster_partitions_holding    0x60 1x60
      DataLost         retroscope_losses                        0x60 1x60
      Restarts         process_start_time_seconds               1x100 2x5 3x5 4x20
      HeapFull!        jvm_memory_used_bytes,area="heap"        50x60 99x60
      HeapFull!        jvm_memory_max_bytes,area="heap"         100x121
      IngestSlow!      retroscope_ingest_seconds_bucket,le="1"  0+100x60 6000x60
      IngestSlow!      retroscope_ingest_seconds_bucket,le="10" 0+100x121
      IngestSlow!      retroscope_ingest_seconds_bucket,le="+Inf" 0+100x121
      SyncSlow         retroscope_fsync_seconds_sum             0+1x60 60+60x60
      SyncSlow         retroscope_fsync_seconds_count           0+100x121
      QueueFull        retroscope_submissions_waiting           3x60 600x60
      BatchesRefused   retroscope_batches_refused_total         5x60 6+1x60
      InputsRejected   retroscope_inputs_rejected_total         5x60 6+1x60
      RequestsFail     retroscope_requests_failed_total         5x60 6+1x60
      EventsLost       retroscope_events_lost                   5x60 6+1x60
      EventsQuarantined retroscope_events_quarantined           5x60 6+1x60
      AllNodesSilent   retroscope_nodes                         3x60 0x60
      AllNodesSilent   retroscope_nodes_missing                 0x116 3x3
      NodesMissing     retroscope_nodes_missing                 0x60 1x60
      LiveQueriesLag   retroscope_watermark_lag_seconds         0.1x60 30x60
      AlertsDoubtful   retroscope_alerts_doubtful               0x60 1x60
      NoticesFail      retroscope_notices_failed_total          5x60 6+1x60
      NoticesFail      retroscope_notices_waiting               0x60 1x60
      NoticesDropped   retroscope_notices_dropped_total         5x60 6+1x60
      KafkaTrouble     retroscope_kafka_trouble                 0x60 1x60
      KafkaLag         retroscope_kafka_lag_seconds             1x60 61+60x60
      """;

  @TempDir Path directory;
  private final long now = PhysicalClock.system().micros();
  private HttpProbe prometheus = new HttpProbe(URI.create("http://127.0.0.1:1"));
  private LogServer server;
  private int port;

  /** Prometheus' own evaluation of the unchanged rules. */
  @Test
  void rules_eachFiresWhileItsFaultLasts_andNotBefore() throws Exception {
    Path program = program("promtool");
    Map<String, String> summaries = summaries();
    StringBuilder series = new StringBuilder();
    Map<String, String> expected = new TreeMap<>();
    for (String line : SERIES.lines().toList()) {
      String[] parts = line.split(" +", 3);
      String[] metric = parts[1].split(",", 2);
      String name = "Retroscope" + parts[0].replace("!", "");
      series.append(
          "  - series: '%s{instance=\"%s\",job=\"retroscope\"%s}'\n    values: '%s'\n"
              .formatted(metric[0], name, metric.length > 1 ? "," + metric[1] : "", parts[2]));
      expected.put(
          name,
          "{instance: %s%s, severity: %s}"
              .formatted(name, parts[0].endsWith("!") ? "" : ", job: retroscope", severity(name)));
    }
    assertThat(expected.keySet()).isEqualTo(summaries.keySet());
    StringBuilder file = new StringBuilder("rule_files: [rules.yml]\ntests:\n");
    file.append("- interval: 1m\n  input_series:\n").append(series).append("  alert_rule_test:\n");
    expected.forEach(
        (name, labels) ->
            file.append("  - {eval_time: 60m, alertname: %s}\n".formatted(name))
                .append("  - eval_time: 119m\n    alertname: %s\n    exp_alerts:\n".formatted(name))
                .append("    - exp_labels: %s\n".formatted(labels))
                .append(
                    "      exp_annotations: {summary: \"%s\"}\n".formatted(summaries.get(name))));
    Files.copy(RULES, directory.resolve("rules.yml"));
    Path own = Files.writeString(directory.resolve("tests.yml"), file);
    Process run =
        new ProcessBuilder(program.toString(), "test", "rules", own.toString())
            .redirectErrorStream(true)
            .start();
    String said = new String(run.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(run.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(run.exitValue()).as(said).isZero();
  }

  /**
   * A server with faults that a test can make, one after the other. The copy of the rules has no
   * {@code for}, so that each fires at once.
   */
  @Test
  @Tag("slow")
  void prometheus_ofAServerWithFaults_firesTheAlertOfEach() throws Exception {
    Path program = program("prometheus");
    port = KafkaBroker.freePort();
    Process process = null;
    try (SmallDisk disk = SmallDisk.mount(Files.createDirectory(directory.resolve("data")), 256);
        Hook hook = new Hook()) {
      Files.createDirectory(directory.resolve("rules"));
      Files.writeString(
          directory.resolve("rules/a.rql"), "CREATE ALERT far AS (NEVER SPREAD(v) >= 2 FROM m);");
      Files.writeString(directory.resolve("receivers"), "ops webhook " + hook.url() + "\n");
      start(false);
      process = startPrometheus(program);
      HttpProbe http = new HttpProbe(server.uri());
      assertThat(http.events(event("a", 0, 1) + event("b", 0, 1)).status()).isEqualTo(200);
      // The disk is small from the begin, and the nodes send nothing more.
      awaitFiring("DiskFillsUp", "NodesMissing", "AllNodesSilent", "AlertsDoubtful");
      hook.answering(request -> 500);
      http.events(event("a", 10, 5) + event("b", 10, 1) + event("b", 20, 1) + event("a", 20, 5));
      http.events("nonsense");
      http.events(event("c", TimeUnit.HOURS.toMillis(1), 1));
      LostBlocks lost =
          new LostBlocks("d", "i", 1, 2, 7, HlcTimestamp.pack(now), HlcTimestamp.pack(now + 1));
      http.blocks(EventBlockCodec.encode(lost));
      awaitFiring(
          "NoticesFail", "BatchesRefused", "EventsQuarantined", "EventsLost", "LiveQueriesLag");
      Files.writeString(directory.resolve("rules/a.rql"), "CREATE ALERT;");
      awaitFiring("NotReady");
      Files.writeString(
          directory.resolve("rules/a.rql"), "CREATE ALERT far AS (NEVER SPREAD(v) >= 2 FROM m);");
      server.close();
      disk.fillUp();
      start(false);
      awaitFiring("StoreNotWritable");
      disk.freeUp();
      server.close();
      awaitFiring("Down");
      damageLog();
      start(true);
      awaitFiring("DataLost");
      assertThat(http.events(event("a", 50, 1) + event("b", 50, 1)).status()).isEqualTo(200);
      server.close();
      damageBlocks();
      start(false);
      assertThat(http.query("SELECT v FROM m").status()).isEqualTo(200);
      awaitFiring("BlocksDamaged");
      Thread.getAllStackTraces().keySet().stream()
          .filter(thread -> thread.getName().equals("store-writer"))
          .forEach(Thread::interrupt);
      awaitFiring("ThreadEnded");
    } finally {
      if (process != null) {
        process.destroy();
        process.waitFor();
      }
      if (server != null) {
        server.close();
      }
    }
  }

  private void damageLog() throws IOException {
    Path log;
    try (Stream<Path> files = Files.list(Database.path(directory.resolve("data")))) {
      log =
          files
              .filter(file -> file.toString().endsWith(".log"))
              .max(Comparator.comparingLong(file -> file.toFile().length()))
              .orElseThrow();
    }
    try (RandomAccessFile file = new RandomAccessFile(log.toFile(), "rw")) {
      file.seek(300);
      file.write(new byte[] {1, 2, 3, 4, 5, 6, 7, 8});
    }
  }

  private void damageBlocks() throws RocksDBException {
    try (Database database = Database.open(directory.resolve("data"), OpenRocks.Mode.STRICT);
        WriteBatch batch = new WriteBatch()) {
      List<Long> ids = new ArrayList<>();
      database.forEachFrom(StoreSchema.BLOCKS, 0L, (id, bytes) -> ids.add(id));
      for (Long id : ids) {
        byte[] key = ByteBuffer.allocate(Long.BYTES).putLong(id).array();
        batch.put(database.handle(StoreSchema.BLOCKS), key, new byte[40]);
      }
      database.write(batch);
    }
  }

  private void start(boolean recovers) {
    server =
        LogServer.start(
            ServerConfig.in(directory.resolve("data"))
                .port(port)
                .store(recovers ? StoreOptions.DEFAULT.recovering() : StoreOptions.DEFAULT)
                .alerts(
                    new AlertOptions(
                        Optional.of(directory.resolve("rules")),
                        Optional.of(directory.resolve("receivers"))))
                .build());
  }

  private Process startPrometheus(Path program) throws IOException {
    int own = KafkaBroker.freePort();
    Files.writeString(
        directory.resolve("rules.yml"), Files.readString(RULES).replaceAll("(?m)^ +for: .*\n", ""));
    Path config =
        Files.writeString(
            directory.resolve("prometheus.yml"),
            """
            global: {scrape_interval: 500ms, scrape_timeout: 500ms, evaluation_interval: 500ms}
            rule_files: [rules.yml]
            scrape_configs:
            - job_name: retroscope
              static_configs: [{targets: ['127.0.0.1:%d']}]
            """
                .formatted(port));
    Process process =
        new ProcessBuilder(
                program.toString(),
                "--config.file=" + config,
                "--storage.tsdb.path=" + directory.resolve("tsdb"),
                "--web.listen-address=127.0.0.1:" + own)
            .redirectErrorStream(true)
            .redirectOutput(directory.resolve("prometheus.log").toFile())
            .start();
    prometheus = new HttpProbe(URI.create("http://127.0.0.1:" + own));
    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .ignoreExceptions()
        .until(
            () ->
                prometheus
                    .get("/api/v1/query?query=retroscope_ready")
                    .body()
                    .contains("\"retroscope_ready\""));
    return process;
  }

  private void awaitFiring(String... names) {
    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .pollInterval(Duration.ofMillis(300))
        .untilAsserted(
            () -> {
              String firing =
                  prometheus
                      .get("/api/v1/query?query=ALERTS%7Balertstate%3D%22firing%22%7D")
                      .body();
              assertThat(Arrays.stream(names).map(name -> "\"Retroscope" + name + "\""))
                  .allSatisfy(name -> assertThat(firing).contains(name));
            });
  }

  private static Map<String, String> summaries() throws IOException {
    Map<String, String> summaries = new TreeMap<>();
    for (Map<?, ?> rule : rules()) {
      summaries.put(
          (String) rule.get("alert"),
          (String) ((Map<?, ?>) rule.get("annotations")).get("summary"));
    }
    return summaries;
  }

  private static String severity(String name) {
    try {
      return rules().stream()
          .filter(rule -> name.equals(rule.get("alert")))
          .map(rule -> (String) ((Map<?, ?>) rule.get("labels")).get("severity"))
          .findFirst()
          .orElse("");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<Map<?, ?>> rules() throws IOException {
    Object file = new Load(LoadSettings.builder().build()).loadFromString(Files.readString(RULES));
    Map<?, ?> group = (Map<?, ?>) ((List<?>) ((Map<?, ?>) file).get("groups")).get(0);
    List<Map<?, ?>> rules = new ArrayList<>();
    for (Object rule : (List<?>) group.get("rules")) {
      rules.add((Map<?, ?>) rule);
    }
    return rules;
  }

  private static Path program(String name) {
    Optional<Path> program =
        Arrays.stream(System.getenv().getOrDefault("PATH", "").split(":"))
            .map(folder -> Path.of(folder, name))
            .filter(Files::isExecutable)
            .findFirst();
    assumeThat(program).as("%s is not installed: apt-get install prometheus", name).isPresent();
    return program.orElseThrow();
  }

  private String event(String node, long afterMillis, int v) {
    return "{\"node\":\"%s\",\"log\":\"m\",\"hlc\":\"%s\",\"set\":{\"v\":%d}}\n"
        .formatted(node, HlcTimestamp.text(HlcTimestamp.pack(now + 1_000 * afterMillis)), v);
  }
}
