// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.option;

import io.retroscope.server.access.Tokens;
import io.retroscope.server.cluster.ClusterOptions;
import io.retroscope.server.kafka.KafkaOptions;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.Option;

/** The options of a server that shares a topic with others. */
public final class ClusterOption {
  @Option(
      names = "--cluster",
      description = {
        "Be one of several servers that share the topic of --kafka: each keeps some partitions",
        "and copies of others, and answers queries over all; see docs/operating.md."
      })
  private boolean cluster;

  @Option(
      names = "--advertise",
      paramLabel = "URL",
      description = "The address at which the other servers of the cluster reach this one.")
  private Optional<URI> advertised = Optional.empty();

  @Option(
      names = "--cluster-token-file",
      paramLabel = "FILE",
      description = "A file with the secret that all servers of the cluster share.")
  private Optional<Path> tokenFile = Optional.empty();

  /** Whether the server is one of several. */
  public boolean isUsed() {
    return cluster;
  }

  /**
   * Checks that no option of a cluster is used without the others.
   *
   * @throws IllegalArgumentException if that is so
   */
  public void checkUnused() {
    if (advertised.isPresent() || tokenFile.isPresent()) {
      throw new IllegalArgumentException("--advertise and --cluster-token-file need --cluster");
    }
  }

  /**
   * The options of the cluster.
   *
   * @param kafka the topic
   * @throws IllegalArgumentException if one is missing or invalid
   */
  public ClusterOptions options(Optional<KafkaOptions> kafka) {
    if (kafka.isEmpty()) {
      throw new IllegalArgumentException(
          "--cluster needs the brokers of its topic: --kafka HOST:PORT,...");
    }
    URI address =
        advertised.orElseThrow(
            () ->
                new IllegalArgumentException(
                    "--cluster needs the address at which the other servers reach this one, such as"
                        + " --advertise https://logs1.example.com:7340"));
    Path file =
        tokenFile.orElseThrow(
            () ->
                new IllegalArgumentException(
                    "--cluster needs a secret that all its servers share: openssl rand -hex 32 >"
                        + " FILE, chmod 600 FILE, and --cluster-token-file FILE"));
    try {
      Tokens.checkMode(file);
      return ClusterOptions.of(kafka.get(), address, Files.readString(file).strip());
    } catch (IOException e) {
      throw new IllegalArgumentException(
          "the file of --cluster-token-file cannot be read: " + e.getMessage(), e);
    }
  }
}
