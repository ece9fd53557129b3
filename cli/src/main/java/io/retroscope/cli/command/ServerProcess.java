// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.command;

import io.retroscope.cli.option.ClusterOption;
import io.retroscope.server.app.ClusterServer;
import io.retroscope.server.app.LogServer;
import io.retroscope.server.app.ServerConfig;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;

/** The server of a process: a single one, or one of a cluster, whose classes only that loads. */
record ServerProcess(URI uri, Runnable end) {
  /**
   * Starts the server.
   *
   * @param keepFor the age from which a cluster removes events; a single server has it as a rule
   */
  static ServerProcess start(
      ServerConfig config, ClusterOption cluster, Optional<Duration> keepFor) {
    return cluster.isUsed()
        ? InCluster.start(config, cluster, keepFor)
        : Single.start(config, cluster);
  }

  private static final class Single {
    static ServerProcess start(ServerConfig config, ClusterOption cluster) {
      cluster.checkUnused();
      LogServer server = LogServer.start(config);
      return new ServerProcess(server.uri(), server::close);
    }
  }

  private static final class InCluster {
    static ServerProcess start(
        ServerConfig config, ClusterOption cluster, Optional<Duration> keepFor) {
      ClusterServer server =
          ClusterServer.start(config, cluster.options(config.kafka()).keeping(keepFor));
      return new ServerProcess(server.uri(), server::close);
    }
  }
}
