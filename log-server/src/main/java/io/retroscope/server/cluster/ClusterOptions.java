// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.cluster;

import io.retroscope.server.kafka.KafkaOptions;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;

/**
 * The options of one server of a cluster.
 *
 * @param kafka the topic of events
 * @param advertised the address at which the other servers reach this one, with a port
 * @param token the secret that all servers of the cluster share
 * @param copies the number of copies of each partition, besides that of its owner
 * @param deadline how long a query waits for a partition that no server has
 * @param keepFor the age from which events are removed; empty if all are kept
 */
public record ClusterOptions(
    KafkaOptions kafka,
    URI advertised,
    String token,
    int copies,
    Duration deadline,
    Optional<Duration> keepFor) {
  /** The shortest token, in characters. */
  public static final int MIN_TOKEN_LENGTH = 32;

  /** The usual deadline, which outlasts the detection of a killed server. */
  public static final Duration DEADLINE = Duration.ofSeconds(30);

  /** Checks the ranges. */
  public ClusterOptions {
    if (advertised.getHost() == null || advertised.getPort() < 1) {
      throw new IllegalArgumentException(
          "--advertise needs a host and a port, such as http://10.0.0.1:7340, not " + advertised);
    }
    if (token.length() < MIN_TOKEN_LENGTH) {
      throw new IllegalArgumentException(
          "the token in --cluster-token-file needs at least %d characters, as from openssl rand -hex 32"
              .formatted(MIN_TOKEN_LENGTH));
    }
    if (copies < 0 || deadline.isNegative()) {
      throw new IllegalArgumentException("copies=%d deadline=%s".formatted(copies, deadline));
    }
    keepFor.ifPresent(
        age -> {
          if (age.isZero() || age.isNegative()) {
            throw new IllegalArgumentException("events must be kept for some time: " + age);
          }
        });
  }

  /** The defaults: one copy of each partition. */
  public static ClusterOptions of(KafkaOptions kafka, URI advertised, String token) {
    return new ClusterOptions(kafka, advertised, token, 1, DEADLINE, Optional.empty());
  }

  /** The same for a cluster that removes events of an age; of none if it is empty. */
  public ClusterOptions keeping(Optional<Duration> age) {
    return new ClusterOptions(kafka, advertised, token, copies, deadline, age);
  }

  @Override
  public String toString() {
    return "%s, advertised as %s, copies=%d, keep for=%s"
        .formatted(kafka, advertised, copies, keepFor.map(Duration::toString).orElse("ever"));
  }
}
