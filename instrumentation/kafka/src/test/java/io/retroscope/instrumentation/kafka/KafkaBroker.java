package io.retroscope.instrumentation.kafka;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.metadata.storage.Formatter;
import org.apache.kafka.server.common.MetadataVersion;

/** A real Kafka broker, its own controller, on free loopback ports. Closing stops it. */
final class KafkaBroker implements AutoCloseable {
  private final KafkaRaftServer server;
  private final String address;

  private KafkaBroker(KafkaRaftServer server, String address) {
    this.server = server;
    this.address = address;
  }

  /** Formats the folder and starts; returns when clients may connect. */
  static KafkaBroker start(Path folder) throws Exception {
    int clientPort = freePort();
    int controllerPort = freePort();
    new Formatter()
        .setPrintStream(System.out)
        .setNodeId(1)
        .setClusterId(Uuid.randomUuid().toString())
        .setControllerListenerName("CONTROLLER")
        .setMetadataLogDirectory(folder.toString())
        .setDirectories(List.of(folder.toString()))
        .setReleaseVersion(MetadataVersion.LATEST_PRODUCTION)
        .run();
    KafkaRaftServer server =
        new KafkaRaftServer(
            KafkaConfig.fromProps(settings(folder, clientPort, controllerPort)), Time.SYSTEM);
    server.startup();
    return new KafkaBroker(server, "127.0.0.1:" + clientPort);
  }

  private static Properties settings(Path folder, int clientPort, int controllerPort) {
    Properties settings = new Properties();
    settings.put("process.roles", "broker,controller");
    settings.put("node.id", "1");
    settings.put("controller.quorum.voters", "1@127.0.0.1:" + controllerPort);
    settings.put("controller.listener.names", "CONTROLLER");
    settings.put(
        "listeners",
        "PLAINTEXT://127.0.0.1:" + clientPort + ",CONTROLLER://127.0.0.1:" + controllerPort);
    settings.put("advertised.listeners", "PLAINTEXT://127.0.0.1:" + clientPort);
    settings.put("log.dirs", folder.toString());
    settings.put("offsets.topic.replication.factor", "1");
    settings.put("transaction.state.log.replication.factor", "1");
    settings.put("transaction.state.log.min.isr", "1");
    settings.put("group.initial.rebalance.delay.ms", "0");
    return settings;
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  /** What clients put into {@code bootstrap.servers}. */
  String address() {
    return address;
  }

  @Override
  public void close() {
    server.shutdown();
    server.awaitShutdown();
  }
}
