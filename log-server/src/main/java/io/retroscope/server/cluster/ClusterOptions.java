// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.cluster;

import io.retroscope.server.kafka.KafkaOptions;
import java.net.URI;
import java.time.Duration;

/**
 * The options of one server of a cluster.
 *
 * @param kafka the topic of events
 * @param advertised the address at which the other servers reach this one, with a port
 * @param token the secret that all servers of the cluster share
 * @param copies the number of copies of each partition, besides that of its owner
 * @param deadline how long a query waits for a partition that no server has
 */
public record ClusterOptions(
    KafkaOptions kafka, URI advertised, String token, int copies, Duration deadline) {
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
  }

  /** The defaults: one copy of each partition. */
  public static ClusterOptions of(KafkaOptions kafka, URI advertised, String token) {
    return new ClusterOptions(kafka, advertised, token, 1, DEADLINE);
  }

  @Override
  public String toString() {
    return "%s, advertised as %s, %d copies".formatted(kafka, advertised, copies);
  }
}
