// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClientSettingsTest {
  @TempDir Path folder;

  @Test
  void of_variableOverPropertyOverFile_underTheLibrarysNames() throws IOException {
    Path file =
        Files.writeString(
            folder.resolve("client.properties"),
            """
            security.protocol=PLAINTEXT
            sasl.mechanism=PLAIN
            ssl.endpoint.identification.algorithm=
            client.id=zoë
            """);

    assertThat(
            ClientSettings.of(
                "kafka",
                Map.of(
                    "RETROSCOPE_KAFKA_CONFIG", file.toString(),
                    "RETROSCOPE_KAFKA_SECURITY_PROTOCOL", "SASL_SSL",
                    "RETROSCOPE_KAFKA_SASL_MECHANISM", " ",
                    "RETROSCOPE_NODE", "zk1"),
                Map.of(
                    "retroscope.kafka.security.protocol", "SSL",
                    "retroscope.kafka.linger.ms", "5",
                    "retroscope.node", "zk1"),
                Map.of()))
        .containsOnly(
            Map.entry("security.protocol", "SASL_SSL"),
            Map.entry("sasl.mechanism", "PLAIN"),
            Map.entry("ssl.endpoint.identification.algorithm", ""),
            Map.entry("client.id", "zoë"),
            Map.entry("linger.ms", "5"));
  }

  @Test
  void of_fileMissing_namesSettingAndFile() {
    assertThatThrownBy(
            () ->
                ClientSettings.of(
                    "kafka", Map.of("RETROSCOPE_KAFKA_CONFIG", "/no/file"), Map.of(), Map.of()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "RETROSCOPE_KAFKA_CONFIG (or retroscope.kafka.config): cannot read \"/no/file\":"
                + " there is no such file");
  }

  @Test
  void of_commandLine_standsAboveAllAndMayNameTheFile() throws IOException {
    Path file =
        Files.writeString(
            folder.resolve("client.properties"), "client.id=file\nlinger.ms=7\nacks=all\n");

    assertThat(
            ClientSettings.of(
                "kafka",
                Map.of("RETROSCOPE_KAFKA_CONFIG", "/no/file", "RETROSCOPE_KAFKA_LINGER_MS", "5"),
                Map.of("retroscope.kafka.client.id", "property"),
                Map.of("config", file.toString(), "client.id", "option")))
        .containsOnly(
            Map.entry("client.id", "option"),
            Map.entry("linger.ms", "5"),
            Map.entry("acks", "all"));
    assertThatThrownBy(
            () -> ClientSettings.of("kafka", Map.of(), Map.of(), Map.of("config", "/no/file")))
        .hasMessage("the command line: cannot read \"/no/file\": there is no such file");
  }

  @Test
  void of_fileTooLarge_isRefusedUnread() throws IOException {
    Path file = Files.write(folder.resolve("large.properties"), new byte[(1 << 20) + 1]);
    assertThatThrownBy(
            () ->
                ClientSettings.of(
                    "kafka",
                    Map.of(),
                    Map.of("retroscope.kafka.config", file.toString()),
                    Map.of()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("larger than 1048576 bytes");
  }

  @Test
  void of_fileMalformed_quotesNothingOfIt() throws IOException {
    Path file =
        Files.writeString(folder.resolve("bad.properties"), "sasl.jaas.config=s3cret\\u00x\n");
    assertThatThrownBy(
            () ->
                ClientSettings.of(
                    "kafka",
                    Map.of("RETROSCOPE_KAFKA_CONFIG", file.toString()),
                    Map.of(),
                    Map.of()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("bad.properties")
        .hasMessageNotContaining("s3cret");
  }
}
