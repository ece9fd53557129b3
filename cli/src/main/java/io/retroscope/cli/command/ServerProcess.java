// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.command;

import io.retroscope.cli.option.ClusterOption;
import io.retroscope.server.app.ClusterServer;
import io.retroscope.server.app.LogServer;
import io.retroscope.server.app.ServerConfig;
import java.net.URI;

/** The server of a process: a single one, or one of a cluster, whose classes only that loads. */
record ServerProcess(URI uri, Runnable end) {
  static ServerProcess start(ServerConfig config, ClusterOption cluster) {
    return cluster.isUsed() ? InCluster.start(config, cluster) : Single.start(config, cluster);
  }

  private static final class Single {
    static ServerProcess start(ServerConfig config, ClusterOption cluster) {
      cluster.checkUnused();
      LogServer server = LogServer.start(config);
      return new ServerProcess(server.uri(), server::close);
    }
  }

  private static final class InCluster {
    static ServerProcess start(ServerConfig config, ClusterOption cluster) {
      ClusterServer server = ClusterServer.start(config, cluster.options(config.kafka()));
      return new ServerProcess(server.uri(), server::close);
    }
  }
}
