// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URI;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class AgentOptionsTest {
  private static final Map<String, String> NO_ENVIRONMENT = Map.of();

  @Test
  void parse_argument_givesAllOptions() {
    AgentOptions options =
        AgentOptions.parse(
            "node=zk1,server=http://127.0.0.1:7340,trace=/r1;/app/,clockSkewMicros=-25000",
            NO_ENVIRONMENT);

    assertThat(options.node()).isEqualTo("zk1");
    assertThat(options.server()).contains(URI.create("http://127.0.0.1:7340"));
    assertThat(options.file()).isEmpty();
    assertThat(options.traced().contains("/app/x")).isTrue();
    assertThat(options.clockSkewMicros()).isEqualTo(-25_000);
  }

  @Test
  void parse_kafkaBrokers_areDividedBySemicolons() {
    assertThat(
            AgentOptions.parse("node=zk1,server=kafka://a:1;b:2/events", NO_ENVIRONMENT).server())
        .contains(URI.create("kafka://a:1,b:2/events"));
  }

  @Test
  void parse_environment_fillsWhatTheArgumentDoesNotName() {
    AgentOptions options =
        AgentOptions.parse(
            "node=zk2",
            Map.of("RETROSCOPE_NODE", "zk1", "RETROSCOPE_FILE", "/var/tmp/events.blocks"));

    assertThat(options.node()).isEqualTo("zk2");
    assertThat(options.file()).contains(Path.of("/var/tmp/events.blocks"));
    assertThat(options.traced().contains("/anything")).isTrue();
    assertThat(options.clockSkewMicros()).isZero();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "server=http://h:1                        | node= is missing",
        "node=zk1                                 | set either server= or file=",
        "node=zk1,server=http://h:1,file=/tmp   | set either server= or file=",
        "node=zk1,server=h:1                      | not an address",
        "node=zk1,server=http://h:1,colour=red    | unknown option \"colour=red\"",
        "node=zk1,server=http://h:1,trace         | unknown option \"trace\"",
        "node=zk1,server=http://h:1,trace=r1      | must start with '/'",
        "node=zk1,server=http://h:1,clockSkewMicros=1.5 | not a whole number",
      })
  void parse_mistake_isNamed(String argument, String message) {
    assertThatThrownBy(() -> AgentOptions.parse(argument, NO_ENVIRONMENT))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(message);
  }
}
