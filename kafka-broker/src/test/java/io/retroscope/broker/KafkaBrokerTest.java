// SPDX-License-Identifier: Apache-2.0
package io.retroscope.broker;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class KafkaBrokerTest {
  @TempDir Path folder;

  @Test
  void start_sameFolderAgain_hasTheTopicsOfBefore() throws Exception {
    int port;
    try (KafkaBroker broker = KafkaBroker.start(folder)) {
      broker.createTopic("events", 3, Map.of());
      port = broker.port();
      assertThat(port).as("none that Linux gives to a connection").isLessThan(32_768);
    }
    try (KafkaBroker broker = KafkaBroker.in(folder).port(port).start();
        Admin admin = Admin.create(Map.of("bootstrap.servers", broker.address()))) {
      assertThat(broker.port()).isEqualTo(port);
      assertThat(admin.listTopics().names().get()).containsExactly("events");
    }
  }
}
