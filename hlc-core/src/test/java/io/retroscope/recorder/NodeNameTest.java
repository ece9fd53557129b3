// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recorder;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.event.Event;
import io.retroscope.sink.MemorySink;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class NodeNameTest {
  private final Map<String, String> environment = new HashMap<>();
  private final Map<String, String> properties = new HashMap<>();
  private final List<String> problems = new ArrayList<>();

  @Test
  void ofCommand_asTheJvmKeepsIt_isTheMainClassOrTheJar() {
    Map.of(
            "com.example.Orders --port 80", "Orders",
            "com.example.Orders --lib lib/other.jar", "Orders",
            "io.example.shop/com.example.Orders$Main", "Main",
            "Orders", "Orders",
            "/opt/shop/orders.jar --port 80", "orders",
            "orders-1.2.3-SNAPSHOT.jar", "orders",
            "/opt/my shop/orders-2.jar x.jar", "orders-2",
            "C:\\shop\\orders-10.0.jar", "orders",
            "", "")
        .forEach(
            (command, name) -> assertThat(NodeName.ofCommand(command)).as(command).isEqualTo(name));
  }

  @Test
  void byDefault_applicationNamed_theMoreExplicitCounts() {
    properties.put("sun.java.command", "com.example.Main");
    assertThat(name("h1")).isEqualTo("Main@h1");
    environment.put("SPRING_APPLICATION_NAME", "from-spring-variable");
    assertThat(name("h1")).isEqualTo("from-spring-variable@h1");
    properties.put("spring.application.name", "from-spring");
    assertThat(name("h1")).isEqualTo("from-spring@h1");
    properties.put("retroscope.application", "orders");
    assertThat(name("h1")).isEqualTo("orders@h1");
    environment.put("RETROSCOPE_APPLICATION", "payments");
    assertThat(name("h1")).isEqualTo("payments@h1");
    assertThat(problems).isEmpty();
  }

  @Test
  void byDefault_nothingKnown_isANameAllTheSameAndAProblem() {
    assertThat(name(null)).isEqualTo("java@localhost");
    assertThat(problems).hasSize(1);
    assertThat(problems.get(0)).contains("RETROSCOPE_NODE", "no name");
  }

  @Test
  void byDefault_longNames_fitAndKeepTheHost() {
    properties.put("retroscope.application", "a".repeat(1_000));
    assertThat(name("h1")).hasSizeLessThanOrEqualTo(Event.MAX_NODE_LENGTH).endsWith("a@h1");
    assertThat(name("h".repeat(1_000))).hasSize(Event.MAX_NODE_LENGTH);
  }

  @Test
  void build_nodeNotNamed_isTheDefault() {
    properties.put("retroscope.application", "orders");
    properties.put("retroscope.server", "http://127.0.0.1:1");
    try (Recorder recorder =
        Recorder.builder()
            .settings(new Settings(environment::get, properties::get))
            .host(() -> "h1")
            .sink(new MemorySink())
            .build()) {
      assertThat(recorder.node()).isEqualTo("orders@h1");
    }
  }

  private String name(@Nullable String host) {
    return NodeName.byDefault(
        new Settings(environment::get, properties::get), () -> host, problems);
  }
}
