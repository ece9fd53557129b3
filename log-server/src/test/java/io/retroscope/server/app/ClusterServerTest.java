// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retroscope.server.access.AccessOptions;
import io.retroscope.server.access.TlsFiles;
import io.retroscope.server.cluster.ClusterOptions;
import io.retroscope.server.kafka.KafkaOptions;
import io.retroscope.server.kafka.StartFrom;
import io.retroscope.server.store.Retention;
import io.retroscope.server.store.StoreOptions;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests of what a server of a cluster refuses before it looks at its topic. */
@Timeout(60)
class ClusterServerTest {
  private static final String HERE = "http://127.0.0.1:7340";

  /** An address that is reserved for documentation. */
  private static final String FAR = "192.0.2.1:7340";

  /** No broker answers there. */
  private static final KafkaOptions KAFKA =
      KafkaOptions.of(Map.of("bootstrap.servers", "127.0.0.1:1"), "events");

  @TempDir Path folder;

  private void assertRefused(
      String advertised, UnaryOperator<ServerConfig.Builder> change, String... sentence) {
    assertRefused(advertised, KAFKA, change, sentence);
  }

  private void assertRefused(
      String advertised,
      KafkaOptions kafka,
      UnaryOperator<ServerConfig.Builder> change,
      String... sentence) {
    Path data = folder.resolve("data");
    ServerConfig config = change.apply(ServerConfig.in(data).port(0)).build();
    ClusterOptions options =
        ClusterOptions.of(
            kafka, URI.create(advertised), "t".repeat(ClusterOptions.MIN_TOKEN_LENGTH));
    assertThatThrownBy(() -> ClusterServer.start(config, options))
        .isInstanceOf(ServerException.class)
        .message()
        .contains(sentence)
        .hasLineCount(1);
    assertThat(data).doesNotExist();
  }

  private AccessOptions access(Optional<String> tokens, Optional<Path> backups) {
    TlsFiles tls =
        new TlsFiles(folder.resolve("cert.pem"), folder.resolve("key.pem"), Optional.empty());
    return new AccessOptions(
        Optional.empty(),
        tokens,
        Optional.empty(),
        List.of(),
        false,
        backups.isPresent() ? Optional.empty() : Optional.of(tls),
        backups);
  }

  @Test
  void start_otherMachinesReachIt_needsTlsAndTokens() {
    assertRefused("http://" + FAR, config -> config, "--tls-cert and --tls-key", "https");
    assertRefused(
        "https://" + FAR,
        config -> config.access(access(Optional.empty(), Optional.empty())).host("0.0.0.0"),
        "tokens are needed",
        "--tokens FILE");
  }

  @Test
  void start_advertisesAnotherSchemeThanItListensWith_namesBothOptions() {
    assertRefused(
        "https://" + FAR, config -> config, "the server listens with http", "--advertise");
    assertRefused(
        HERE,
        config -> config.access(access(Optional.of("a admin " + "0".repeat(32)), Optional.empty())),
        "the server listens with https",
        "--advertise, --tls-cert and --tls-key");
  }

  @Test
  void start_optionsOfASingleServer_areNamed() {
    assertRefused(
        HERE, KAFKA.from(StartFrom.parse("earliest")), config -> config, "--kafka-from is for");
    assertRefused(HERE, config -> config.retention(Retention.ofSize(1)), "--keep-bytes is for");
    assertRefused(HERE, config -> config.store(StoreOptions.DEFAULT.recovering()), "--recover and");
    assertRefused(HERE, config -> config.releaseQuarantined(true), "--release-quarantine are for");
    assertRefused(
        HERE,
        config -> config.access(access(Optional.empty(), Optional.of(folder))),
        "--backup-dir is for a single server");
  }
}
