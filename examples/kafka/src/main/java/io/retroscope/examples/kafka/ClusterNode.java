// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.kafka;

import io.retroscope.examples.stage.BrokerProcess;
import io.retroscope.server.app.ClusterServer;
import io.retroscope.server.app.ServerConfig;
import io.retroscope.server.app.ServerException;
import io.retroscope.server.cluster.ClusterOptions;
import io.retroscope.server.health.FatalErrors;
import io.retroscope.server.kafka.KafkaOptions;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** The program of one server of the cluster. */
public final class ClusterNode {
  private ClusterNode() {}

  /**
   * Runs a server until the process ends.
   *
   * @param args the data folder, the port, the brokers, and the file with the cluster's token
   */
  public static void main(String[] args) throws IOException, InterruptedException {
    FatalErrors.watchUncaught();
    int port = Integer.parseInt(args[1]);
    KafkaOptions kafka = KafkaOptions.of(Map.of("bootstrap.servers", args[2]), BrokerProcess.TOPIC);
    String token = Files.readString(Path.of(args[3])).strip();
    try (ClusterServer server =
        ClusterServer.start(
            ServerConfig.in(Path.of(args[0])).port(port).build(),
            ClusterOptions.of(kafka, URI.create("http://127.0.0.1:" + port), token))) {
      System.out.println("ready at " + server.uri());
      Thread.currentThread().join();
    } catch (ServerException e) {
      System.out.println(e.getMessage());
      System.exit(1);
    }
  }
}
