// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.retroscope.broker.KafkaBroker;
import io.retroscope.server.cluster.ClusterOptions;
import io.retroscope.server.kafka.KafkaOptions;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.resource.ResourceType;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests with a broker that requires authentication. */
@Timeout(120)
class KafkaSecurityTest {
  private static final String TOPIC = "events";
  private static final String SECRET = "s3cret-pass";
  private static final String SHARED = "shared";
  private static final String ALERTS = SHARED + "-alerts";
  private static final String GROUP_SENTENCE =
      "no right to use consumer group \\\"retroscope-shared\\\": allow READ";
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @TempDir static Path brokerFolder;
  private static KafkaBroker broker;

  @TempDir Path folder;

  @BeforeAll
  static void startBroker() throws Exception {
    broker =
        KafkaBroker.in(brokerFolder)
            .user("reader", SECRET)
            .user("stranger", "other")
            .user("member", SECRET)
            .user("late", SECRET)
            .start();
    broker.createTopic(TOPIC, 1, Map.of());
    broker.createTopic(
        SHARED, 1, Map.of("message.timestamp.type", "LogAppendTime", "retention.ms", "-1"));
    broker.allow("reader", TOPIC, List.of(AclOperation.READ));
    broker.allow("stranger", TOPIC, List.of(AclOperation.WRITE));
  }

  @AfterAll
  static void stopBroker() {
    broker.close();
  }

  @Test
  void start_userWithReadPermission_reads() throws Exception {
    try (LogServer server = start(as("reader", SECRET))) {
      HttpProbe http = new HttpProbe(server.uri());
      assertThat(http.get("/health/ready").body()).isEqualTo("ready\n");
      assertThat(http.get("/metrics").body()).contains("retroscope_kafka_partitions 1.0\n");
    }
  }

  @Test
  void start_wrongPassword_namesTheSettingAndNoSecret() {
    assertThatThrownBy(() -> start(as("reader", "wrong-pass")))
        .isInstanceOf(ServerException.class)
        .hasMessage(
            "the broker at %s does not accept the credentials: check security.protocol and sasl.*",
            broker.address());
  }

  @Test
  void start_userWithoutReadPermission_namesThePermission() {
    assertThatThrownBy(() -> start(as("stranger", "other")))
        .isInstanceOf(ServerException.class)
        .hasMessage(
            "no right to read topic \"events\": allow READ and DESCRIBE in the broker's access"
                + " rules, or check sasl.*");
  }

  @Test
  void start_settingThatKafkaRefuses_namesItAndNoSecret() {
    Map<String, String> settings = as("reader", SECRET);
    settings.put("sasl.jaas.config", "PlainLoginModule required password=\"" + SECRET + "\"");
    assertThatThrownBy(() -> start(settings))
        .isInstanceOf(ServerException.class)
        .message()
        .doesNotContain(SECRET, "password=")
        .hasLineCount(1);
    settings.put("security.protocol", "CARRIER_PIGEON");
    assertThatThrownBy(() -> start(settings))
        .isInstanceOf(ServerException.class)
        .hasMessageContaining("security.protocol");
  }

  @Test
  void join_wrongPassword_namesTheSetting() {
    assertThatThrownBy(() -> join("member", "wrong-pass"))
        .isInstanceOf(ServerException.class)
        .hasMessageContaining("does not accept the credentials")
        .hasMessageContaining("check security.protocol and sasl.*");
  }

  @Test
  void join_missingRights_areNamed() throws Exception {
    assertThatThrownBy(() -> join("member", SECRET))
        .hasMessageStartingWith("no right to read topic \"shared\"");
    broker.allow("member", SHARED, List.of(AclOperation.READ));
    assertThatThrownBy(() -> join("member", SECRET))
        .hasMessageStartingWith(
            "no right to read the settings of topic \"shared\": allow DESCRIBE_CONFIGS");
    broker.allow("member", SHARED, List.of(AclOperation.DESCRIBE_CONFIGS));
    try (ClusterServer server = join("member", SECRET)) {
      awaitHealth(server, GROUP_SENTENCE);
      awaitWarmUp(true);
    }
    awaitWarmUp(false);
  }

  /** A server warms up when it has its partitions, and removes what it needed at its end. */
  private void awaitWarmUp(boolean exists) {
    await()
        .dontCatchUncaughtExceptions()
        .atMost(PATIENCE)
        .until(() -> Files.exists(folder.resolve("data/warm-up")) == exists);
  }

  /** Each missing right is named until it is given; the server continues by itself then. */
  @Tag("slow")
  @Test
  void rights_givenOneAfterAnother_takeEffectWithoutARestart() throws Exception {
    broker.allow("late", SHARED, List.of(AclOperation.READ, AclOperation.DESCRIBE_CONFIGS));
    try (ClusterServer server = join("late", SECRET)) {
      awaitHealth(server, GROUP_SENTENCE);
      assertThat(send(server)).contains("no right to write topic \\\"shared\\\": allow WRITE");
      broker.allow("late", SHARED, List.of(AclOperation.WRITE));
      await()
          .dontCatchUncaughtExceptions()
          .atMost(PATIENCE)
          .until(() -> send(server).equals("{\"accepted\":1}"));

      broker.allow("late", ResourceType.GROUP, "retroscope-shared", List.of(AclOperation.READ));
      awaitHealth(server, "no right to create topic \\\"shared-alerts\\\": allow CREATE");
      broker.allow("late", ALERTS, List.of(AclOperation.CREATE, AclOperation.DESCRIBE));
      awaitHealth(server, "no right to read topic \\\"shared-alerts\\\"");
      broker.allow("late", ALERTS, List.of(AclOperation.READ));
      awaitHealth(server, "no right to read the settings of topic \\\"shared-alerts\\\"");
      broker.allow("late", ALERTS, List.of(AclOperation.DESCRIBE_CONFIGS, AclOperation.WRITE));
      awaitHealth(
          server, "no right to use the transactional id", "\\\"retroscope-shared-alerts\\\"");
      broker.allow(
          "late",
          ResourceType.TRANSACTIONAL_ID,
          "retroscope-shared-alerts",
          List.of(AclOperation.WRITE, AclOperation.DESCRIBE));
      awaitHealth(server, "\"ready\":true");
    }
    awaitWarmUp(false);
  }

  private static void awaitHealth(ClusterServer server, String... words) {
    HttpProbe http = new HttpProbe(server.uri());
    await()
        .dontCatchUncaughtExceptions() // Threads of Streams end with what a right refuses.
        .atMost(PATIENCE)
        .untilAsserted(() -> assertThat(http.get("/v1/health").body()).contains(words));
  }

  private static String send(ClusterServer server) throws Exception {
    return new HttpProbe(server.uri())
        .events("{\"node\":\"n\",\"log\":\"l\",\"hlc\":\"1795200000000000.3\",\"set\":{\"x\":1}}\n")
        .body();
  }

  @Test
  void options_asText_holdNoSecret() {
    KafkaOptions options = KafkaOptions.of(as("reader", SECRET), TOPIC);
    assertThat(ServerConfig.in(folder).kafka(options).build().toString())
        .contains("sasl.jaas.config")
        .doesNotContain(SECRET);
  }

  private static Map<String, String> as(String user, String password) {
    Map<String, String> settings = new HashMap<>();
    settings.put("bootstrap.servers", broker.address());
    settings.put("security.protocol", "SASL_PLAINTEXT");
    settings.put("sasl.mechanism", "PLAIN");
    settings.put(
        "sasl.jaas.config",
        "org.apache.kafka.common.security.plain.PlainLoginModule required username=\"%s\" password=\"%s\";"
            .formatted(user, password));
    return settings;
  }

  private ClusterServer join(String user, String password) throws Exception {
    int port = KafkaBroker.freePort();
    return ClusterServer.start(
        ServerConfig.in(folder.resolve("data")).port(port).warmUp(true).build(),
        ClusterOptions.of(
            KafkaOptions.of(as(user, password), SHARED),
            URI.create("http://127.0.0.1:" + port),
            "0".repeat(ClusterOptions.MIN_TOKEN_LENGTH)));
  }

  private LogServer start(Map<String, String> settings) {
    return LogServer.start(
        ServerConfig.in(folder.resolve("data"))
            .port(0)
            .kafka(KafkaOptions.of(settings, TOPIC))
            .build());
  }
}
