// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.retroscope.broker.KafkaBroker;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlockBuilder;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.EventBody.StateChange;
import io.retroscope.event.Value;
import io.retroscope.sink.DeliveringSink;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.SimpleFormatter;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.LoggerContext;
import org.apache.logging.log4j.core.appender.AbstractAppender;
import org.apache.logging.log4j.core.config.Property;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Messages for invalid settings, with a real broker that has passwords, TLS and access rules. */
class KafkaSecurityTest {
  private static final String USER = "ann";
  private static final String PASSWORD = "ann-s3cret";
  private static final String STORE_PASSWORD = "store-s3cret";
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final String JAAS =
      "org.apache.kafka.common.security.plain.PlainLoginModule required username=\"%s\""
          + " password=\"%s\";";

  @TempDir static Path folder;
  private static KafkaBroker broker;

  /** Everything that Kafka's own classes log. */
  private static final KafkaLines KAFKA_LINES = new KafkaLines();

  private final java.util.logging.Logger sinkLogger =
      java.util.logging.Logger.getLogger(DeliveringSink.class.getName());
  private final SinkLines lines = new SinkLines();

  @BeforeAll
  static void startBroker() throws Exception {
    KAFKA_LINES.start();
    LoggerContext context = (LoggerContext) LogManager.getContext(false);
    context.getConfiguration().getRootLogger().addAppender(KAFKA_LINES, Level.INFO, null);
    context.getConfiguration().getRootLogger().setLevel(Level.INFO);
    context.updateLoggers();
    broker =
        KafkaBroker.in(folder.resolve("broker"))
            .user(USER, PASSWORD)
            .setting("auto.create.topics.enable", "false")
            .start();
    for (String topic : List.of("events", "later", "closed")) {
      broker.createTopic(topic, 1, Map.of());
    }
    broker.allow(USER, "events", List.of(AclOperation.WRITE));
  }

  @AfterAll
  static void stopBroker() {
    broker.close();
  }

  @BeforeEach
  void listen() {
    sinkLogger.addHandler(lines);
  }

  @AfterEach
  void noSecretIsPrinted() {
    sinkLogger.removeHandler(lines);
    assertThat(KAFKA_LINES.texts).isNotEmpty();
    assertThat(KAFKA_LINES.texts).filteredOn(line -> line.contains("s3cret")).isEmpty();
    assertThat(lines.texts).filteredOn(line -> line.contains("s3cret")).isEmpty();
  }

  @Test
  void credentials_inAFile_deliver() throws IOException {
    Path file =
        Files.writeString(
            folder.resolve("client.properties"),
            "security.protocol=SASL_PLAINTEXT\nsasl.mechanism=PLAIN\nsasl.jaas.config="
                + JAAS.formatted(USER, PASSWORD)
                + "\nacks=0\nenable.idempotence=false\n");
    System.setProperty("retroscope.kafka.config", file.toString());
    try (KafkaSink sink = sink(broker.address(), "events").deliveryTimeout(PATIENCE).build()) {
      assertDelivers(sink);
    } finally {
      System.clearProperty("retroscope.kafka.config");
    }
    assertThat(lines.texts).isEmpty();
    assertThat(KAFKA_LINES.texts)
        .as("what a file says does not set the sink's guarantees off")
        .anyMatch(text -> text.contains("acks = -1"))
        .filteredOn(text -> text.contains("acks = 0"))
        .isEmpty();
  }

  @Test
  void credentials_wrong_areNamed() {
    try (KafkaSink sink = sink(broker.address(), "events").settings(sasl("wrong-s3cret")).build()) {
      assertRefused(
          sink, "the broker does not accept the credentials: check security.protocol and sasl.*");
      assertThat(sink.lostEventCount()).isZero();
    }
  }

  @Test
  void credentials_noneWhereSomeAreNeeded_namesTheProtocol() {
    try (KafkaSink sink = sink(broker.address(), "events").build()) {
      assertRefused(
          sink, "no broker answers in time: check bootstrap.servers and security.protocol");
    }
  }

  @Test
  void address_noBrokerListens_isNamed() {
    try (KafkaSink sink = sink("127.0.0.1:1", "events").build()) {
      assertRefused(
          sink, "no broker answers in time: check bootstrap.servers and security.protocol");
    }
  }

  @Test
  void address_nameUnknown_isNamedAndTriedAgain() {
    try (KafkaSink sink = sink("no-such-host.invalid:9092", "events").build()) {
      assertRefused(sink, "no broker's name can be resolved: check bootstrap.servers");
    }
  }

  @Test
  void topic_missingAtFirst_isNamedAndThenUsed() throws Exception {
    broker.allow(USER, "not-yet", List.of(AclOperation.WRITE));
    try (KafkaSink sink = sink(broker.address(), "not-yet").settings(sasl(PASSWORD)).build()) {
      assertRefused(sink, "there is no topic \"not-yet\": create it, or check the topic setting");
      broker.createTopic("not-yet", 1, Map.of());
      assertThat(sink.flush(PATIENCE)).isTrue();
      assertThat(sink.lostEventCount()).isZero();
    }
  }

  @Test
  void topic_noRightToWriteAtFirst_isNamedAndThenUsed() throws Exception {
    try (KafkaSink sink = sink(broker.address(), "later").settings(sasl(PASSWORD)).build()) {
      assertRefused(
          sink, "no permission to write to topic \"later\": check the broker's access rules");
      broker.allow(USER, "later", List.of(AclOperation.WRITE));
      assertThat(sink.flush(PATIENCE)).isTrue();
      assertThat(sink.lostEventCount()).isZero();
    }
  }

  @Test
  void topic_mayBeSeenButNotWritten_isNamed() throws Exception {
    broker.allow(USER, "closed", List.of(AclOperation.DESCRIBE));
    try (KafkaSink sink = sink(broker.address(), "closed").settings(sasl(PASSWORD)).build()) {
      assertRefused(
          sink, "no permission to write to topic \"closed\": check the broker's access rules");
    }
  }

  @Test
  void tls_brokerTrustedOrNot_deliversOrNamesTheTrustStore() throws Exception {
    try (KafkaBroker tlsBroker =
        KafkaBroker.in(folder.resolve("tls-broker")).tls(keyStore(), STORE_PASSWORD).start()) {
      tlsBroker.createTopic("events", 1, Map.of());
      Map<String, String> trusting =
          Map.of(
              "security.protocol",
              "SSL",
              "ssl.truststore.type",
              "PKCS12",
              "ssl.truststore.location",
              folder.resolve("key.p12").toString(),
              "ssl.truststore.password",
              STORE_PASSWORD);
      try (KafkaSink sink =
          sink(tlsBroker.address(), "events")
              .settings(trusting)
              .deliveryTimeout(PATIENCE)
              .build()) {
        assertDelivers(sink);
      }
      assertThat(lines.texts).isEmpty();
      try (KafkaSink sink =
          sink(tlsBroker.address(), "events")
              .settings(Map.of("security.protocol", "SSL"))
              .build()) {
        assertRefused(sink, "the TLS handshake with the broker fails: check ssl.truststore.*");
      }
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "security.protocol       | CARRIER_PIGEON             | security.protocol",
        "ssl.truststore.location | /no/such/file.p12          | ssl.truststore.*",
        "ssl.truststore.password | wrong-s3cret               | ssl.truststore.*",
        "sasl.jaas.config        | Module required a=s3cret   | sasl.jaas.config",
        "sasl.jaas.config        | Module required \"s3cret\"; | sasl.jaas.config",
      })
  void build_settingThatKafkaRefuses_isNamedWithoutItsValue(String name, String value, String named)
      throws Exception {
    Path keyStore = keyStore();
    Map<String, String> settings =
        new HashMap<>(
            Map.of(
                "security.protocol",
                name.startsWith("sasl") ? "SASL_PLAINTEXT" : "SSL",
                "sasl.mechanism",
                "PLAIN",
                "ssl.truststore.type",
                "PKCS12",
                "ssl.truststore.location",
                keyStore.toString()));
    settings.put(name, value);
    assertThatThrownBy(() -> sink("127.0.0.1:1", "events").settings(settings).build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("Kafka's producer cannot start: ")
        .hasMessageContaining(named)
        .hasNoCause()
        .message()
        .hasLineCount(1)
        .doesNotContain("s3cret");
  }

  private static KafkaSinkBuilder sink(String address, String topic) {
    return KafkaSink.builder(address)
        .topic(topic)
        .deliveryTimeout(Duration.ofMillis(700))
        .backoff(Duration.ofMillis(50), Duration.ofMillis(200))
        .closeTimeout(Duration.ofMillis(100));
  }

  private static Map<String, String> sasl(String password) {
    return Map.of(
        "security.protocol", "SASL_PLAINTEXT",
        "sasl.mechanism", "PLAIN",
        "sasl.jaas.config", JAAS.formatted(USER, password));
  }

  /** Gives the sink an event to deliver. */
  private static void record(KafkaSink sink) {
    long hlc = HlcTimestamp.pack(1_795_200_000_000_000L);
    Change change = new Change(Operation.SET, "r1", Value.of(1));
    sink.accept(
        new EventBlockBuilder()
            .incarnation("i", 1)
            .add(new Event("zk1", "setd", hlc, new StateChange(List.of(change))))
            .promise(hlc, 1)
            .build());
  }

  private static void assertDelivers(KafkaSink sink) {
    record(sink);
    assertThat(sink.flush(PATIENCE)).isTrue();
  }

  /** The sink says why it does not deliver, and tries again. */
  private void assertRefused(KafkaSink sink, String reason) {
    record(sink);
    // On a busy machine the first tries may end before the broker has answered.
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () ->
                assertThat(lines.texts)
                    .anySatisfy(
                        text -> assertThat(text).contains("does not accept events (" + reason)));
    await().atMost(PATIENCE).until(() -> sink.statistics().retries() > 1);
    assertThat(sink.flush(Duration.ofMillis(1))).isFalse();
    assertThat(lines.texts).hasSizeLessThan(4);
  }

  private static Path keyStore() throws IOException, InterruptedException {
    Path file = folder.resolve("key.p12");
    if (Files.exists(file)) {
      return file;
    }
    Process keytool =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-J-XX:TieredStopAtLevel=1",
                "-J-XX:+UseSerialGC",
                "-genkeypair",
                "-alias",
                "broker",
                "-keyalg",
                "EC",
                "-dname",
                "CN=localhost",
                "-ext",
                "SAN=ip:127.0.0.1",
                "-storetype",
                "PKCS12",
                "-keystore",
                file.toString(),
                "-storepass",
                STORE_PASSWORD)
            .inheritIO()
            .start();
    assertThat(keytool.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(keytool.exitValue()).isZero();
    return file;
  }

  private static final class SinkLines extends Handler {
    private final List<String> texts = new CopyOnWriteArrayList<>();

    @Override
    public void publish(LogRecord record) {
      texts.add(new SimpleFormatter().formatMessage(record));
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }

  private static final class KafkaLines extends AbstractAppender {
    private final List<String> texts = new CopyOnWriteArrayList<>();

    KafkaLines() {
      super("lines", null, null, true, Property.EMPTY_ARRAY);
    }

    @Override
    public void append(LogEvent event) {
      texts.add(event.getMessage().getFormattedMessage() + " " + event.getThrown());
    }
  }
}
