// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.zookeeper;

import io.retroscope.examples.stage.ChildProcess;
import io.retroscope.examples.stage.LoopbackPorts;
import io.retroscope.examples.stage.LoopbackRelay;
import io.retroscope.examples.stage.StageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.apache.zookeeper.server.quorum.QuorumPeerMain;

/**
 * The addresses of the servers, and the configuration of each server.
 *
 * <p>Every server's configuration contains the addresses of the others as that server must use
 * them. The slow server gets the relays' addresses instead of the others' own.
 */
final class EnsembleLayout {
  private static final int PORTS_PER_SERVER = 3;
  private static final String LOOPBACK = "127.0.0.1";

  private final EnsembleOptions options;
  private final int[] ports;
  private final Map<String, LoopbackRelay> relayTo;

  private EnsembleLayout(EnsembleOptions options, int[] ports, Map<String, LoopbackRelay> relayTo) {
    this.options = options;
    this.ports = ports;
    this.relayTo = relayTo;
  }

  /** Chooses free ports and opens the relays. */
  static EnsembleLayout choose(EnsembleOptions options, Random random) throws StageException {
    int[] ports = LoopbackPorts.take(PORTS_PER_SERVER * EnsembleOptions.NODES.size(), random);
    EnsembleLayout layout = new EnsembleLayout(options, ports, new HashMap<>());
    options.slowNode().ifPresent(layout::openRelays);
    return layout;
  }

  private void openRelays(String slowNode) {
    for (String node : EnsembleOptions.NODES) {
      if (!node.equals(slowNode)) {
        relayTo.put(node, LoopbackRelay.to(quorumPort(node)));
      }
    }
  }

  List<LoopbackRelay> relays() {
    return List.copyOf(relayTo.values());
  }

  int clientPort(String node) {
    return port(node, 0);
  }

  private int quorumPort(String node) {
    return port(node, 1);
  }

  private int electionPort(String node) {
    return port(node, 2);
  }

  private int port(String node, int use) {
    return ports[EnsembleOptions.NODES.indexOf(node) * PORTS_PER_SERVER + use];
  }

  private static int id(String node) {
    return EnsembleOptions.NODES.indexOf(node) + 1;
  }

  /** Writes a server's configuration, and returns its folder. */
  Path writeFolder(String node) throws IOException {
    Path folder = options.folder().resolve(node).toAbsolutePath();
    Path data = folder.resolve("data");
    Files.createDirectories(data);
    Files.writeString(data.resolve("myid"), id(node) + "\n");
    Files.writeString(folder.resolve("zoo.cfg"), configuration(node, data));
    Files.writeString(folder.resolve("logback.xml"), logging(folder.resolve("server.log")));
    return folder;
  }

  private String configuration(String node, Path data) {
    StringBuilder text =
        new StringBuilder(
            """
            tickTime=500
            initLimit=40
            syncLimit=40
            dataDir=%s
            clientPort=%d
            clientPortAddress=%s
            maxClientCnxns=0
            admin.enableServer=false
            4lw.commands.whitelist=srvr
            """
                .formatted(data, clientPort(node), LOOPBACK));
    for (String other : EnsembleOptions.NODES) {
      text.append(
          "server.%d=%s:%d:%d%n"
              .formatted(id(other), LOOPBACK, quorumPortSeenBy(node, other), electionPort(other)));
    }
    return text.toString();
  }

  private int quorumPortSeenBy(String node, String other) {
    LoopbackRelay relay = relayTo.get(other);
    boolean isSlow = options.slowNode().filter(node::equals).isPresent();
    return isSlow && relay != null ? relay.port() : quorumPort(other);
  }

  private static String logging(Path file) {
    return """
    <configuration>
      <appender name="FILE" class="ch.qos.logback.core.FileAppender">
        <file>%s</file>
        <encoder><pattern>%%d{ISO8601} %%-5level %%logger{0} - %%msg%%n</pattern></encoder>
      </appender>
      <root level="INFO"><appender-ref ref="FILE"/></root>
    </configuration>
    """
        .formatted(file);
  }

  /** The command that runs a server in its folder. */
  List<String> command(String node, Installation installation) throws StageException {
    List<String> jvmArgs = new ArrayList<>(options.jvmArgs());
    jvmArgs.add("-Dlogback.configurationFile=logback.xml");
    if (!options.agentless().contains(node)) {
      jvmArgs.add("-javaagent:" + installation.agentJar() + "=" + agentArguments(node));
    }
    return ChildProcess.command(
        jvmArgs,
        installation.zookeeperClassPath(Optional.ofNullable(options.versions().get(node))),
        QuorumPeerMain.class.getName(),
        "zoo.cfg");
  }

  private String agentArguments(String node) {
    String arguments =
        "node=" + node + "," + options.sink() + ",trace=" + String.join(";", options.traced());
    Long skewMicros = options.skewMicros().get(node);
    return skewMicros == null ? arguments : arguments + ",clockSkewMicros=" + skewMicros;
  }
}
