// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retroscope.broker.KafkaBroker;
import io.retroscope.server.kafka.KafkaOptions;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.acl.AclOperation;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests with a broker that requires authentication. */
@Timeout(120)
class KafkaSecurityTest {
  private static final String TOPIC = "events";
  private static final String SECRET = "s3cret-pass";

  @TempDir static Path brokerFolder;
  private static KafkaBroker broker;

  @TempDir Path folder;

  @BeforeAll
  static void startBroker() throws Exception {
    broker = KafkaBroker.in(brokerFolder).user("reader", SECRET).user("stranger", "other").start();
    broker.createTopic(TOPIC, 1, Map.of());
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

  private LogServer start(Map<String, String> settings) {
    return LogServer.start(
        ServerConfig.in(folder.resolve("data"))
            .port(0)
            .kafka(KafkaOptions.of(settings, TOPIC))
            .build());
  }
}
