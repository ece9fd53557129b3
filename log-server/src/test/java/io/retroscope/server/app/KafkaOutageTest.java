// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.broker.KafkaBroker;
import io.retroscope.instrumentation.kafka.KafkaSink;
import io.retroscope.recorder.Recorder;
import io.retroscope.server.kafka.KafkaOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests with a broker that stops and returns. */
@Timeout(180)
class KafkaOutageTest {
  private static final String TOPIC = "events";
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @TempDir Path folder;

  @Test
  @Tag("slow")
  void brokerThatGoesAndComesBack_isWaitedForAndNothingIsMissing() throws Exception {
    KafkaBroker broker = KafkaBroker.start(folder.resolve("broker"));
    broker.createTopic(TOPIC, 1, Map.of());
    int port = broker.port();
    try (Recorder recorder = recorder(broker)) {
      LogServer server = start(broker.address());
      try {
        recorder.log("l").set("x", 1);
        awaitValues(server, 1);

        broker.close();
        recorder.log("l").set("x", 2);
        awaitHealth(server, "no broker answers at 127.0.0.1:" + port);
        // The topic was read before, so a broker that does not answer is assumed to be temporarily
        // unavailable.
        server.close();
        server = start("127.0.0.1:" + port);
        awaitHealth(server, "no broker answers");
        assertThat(new HttpProbe(server.uri()).events(LINE).status()).isEqualTo(200);

        broker = KafkaBroker.in(folder.resolve("broker")).port(port).start();
        awaitHealth(server, "\"ready\":true");
        recorder.log("l").set("x", 3);
        awaitValues(server, 3);
      } finally {
        server.close();
      }
    } finally {
      broker.close();
    }
  }

  private static final String LINE =
      "{\"node\":\"h\",\"log\":\"other\",\"hlc\":\"1795200000000000.0\",\"set\":{\"y\":1}}\n";

  private static Recorder recorder(KafkaBroker broker) {
    return Recorder.builder()
        .node("a")
        .sink(
            KafkaSink.builder(broker.address())
                .topic(TOPIC)
                .backoff(Duration.ofMillis(50), Duration.ofMillis(500))
                .build())
        .build();
  }

  private LogServer start(String address) {
    return LogServer.start(
        ServerConfig.in(folder.resolve("data"))
            .port(0)
            .kafka(KafkaOptions.of(Map.of("bootstrap.servers", address), TOPIC))
            .build());
  }

  private static void awaitValues(LogServer server, int last) {
    HttpProbe http = new HttpProbe(server.uri());
    Awaitility.await()
        .atMost(PATIENCE)
        .ignoreExceptions()
        .untilAsserted(
            () ->
                assertThat(http.query("SELECT x FROM l").body().lines())
                    .hasSize(last)
                    .last()
                    .asString()
                    .contains("\"x\":{\"a\":" + last + "}"));
  }

  private static void awaitHealth(LogServer server, String part) {
    HttpProbe http = new HttpProbe(server.uri());
    Awaitility.await()
        .atMost(PATIENCE)
        .untilAsserted(() -> assertThat(http.get("/v1/health").body()).contains(part));
  }
}
