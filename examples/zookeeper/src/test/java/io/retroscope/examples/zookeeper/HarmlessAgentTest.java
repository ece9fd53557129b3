// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.retroscope.examples.stage.ChildProcess;
import io.retroscope.examples.stage.LoopbackPorts;
import java.io.File;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.server.quorum.QuorumPeerMain;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Checks that a server that the agent cannot trace, or not completely, serves as without the agent,
 * and reports this.
 */
final class HarmlessAgentTest {
  private static final byte[] DATA = {1};
  private static final int WRITE_COUNT = 20;
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final String OWN_PACKAGE = "io/retroscope/instrumentation/zookeeper/";
  private static final List<String> QUICK_START =
      List.of("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");

  @TempDir Path folder;

  private Installation installation;
  private int port;

  @BeforeEach
  void configure() throws Exception {
    installation = Installation.locate();
    port = LoopbackPorts.take(1, new Random())[0];
    Files.writeString(
        folder.resolve("zoo.cfg"),
        """
        tickTime=500
        dataDir=%s
        clientPort=%d
        clientPortAddress=127.0.0.1
        admin.enableServer=false
        4lw.commands.whitelist=srvr
        """
            .formatted(folder.resolve("data"), port));
  }

  @Test
  void server_belowTheAgent_servesAndIsMarkedAsUntraced() throws Exception {
    checkIsolated(
        IsolatedServer.BELOW_THE_AGENT,
        installation.classPath(ownClasses()),
        "ZooKeeper, which is not on the JVM's class path, is not traced");
  }

  @Test
  @Tag("slow")
  void server_apartFromTheAgent_servesAndIsMarkedAsUntraced() throws Exception {
    checkIsolated(
        IsolatedServer.APART_FROM_THE_AGENT,
        // The agent finds a ZooKeeper, but it is not the one that runs.
        installation.zookeeperClassPath(Optional.empty()) + File.pathSeparator + ownClasses(),
        "ZooKeeper in a class loader other than the agent's is not traced");
  }

  private void checkIsolated(String place, String classPath, String caveat) throws Exception {
    serve(
        List.of(agent(installation.agentJar(), "")),
        run -> {
          assertThat(run.caveats()).containsExactly("zk1: " + caveat);
          assertThat(run.of("setd")).isEmpty();
        },
        classPath,
        IsolatedServer.class.getName(),
        place,
        jars(installation.zookeeperLib()),
        "zoo.cfg");

    assertThat(output()).containsOnlyOnce(caveat);
  }

  private static Path ownClasses() throws Exception {
    return Path.of(
        IsolatedServer.class.getProtectionDomain().getCodeSource().getLocation().toURI());
  }

  @Test
  void agent_failsInEveryTransaction_serverServesAndGapsAreRecorded() throws Exception {
    Path broken = agentWithout("Transactions");
    serveTraced(
        List.of(agent(broken, "")),
        Optional.empty(),
        run -> {
          assertThat(run.missingEventCount("zk1")).isGreaterThanOrEqualTo(WRITE_COUNT + 1);
          assertThat(run.caveats()).isEmpty();
        });

    assertThat(output())
        .containsOnlyOnce("the tracing of org.apache.zookeeper.server.DataTree.processTxn failed")
        .contains("NoClassDefFoundError: " + OWN_PACKAGE + "Transactions");
  }

  @Test
  @Tag("slow")
  void server_tooOld_servesAndIsMarkedAsUntraced() throws Exception {
    Path old = installation.zookeeperLib().resolveSibling("zookeeper-3.5.10");
    serveTraced(
        List.of(agent(installation.agentJar(), "")),
        Optional.of(old),
        run -> assertThat(run.caveats()).containsExactly("zk1: ZooKeeper 3.5.10 is not traced"));

    assertThat(output())
        .containsOnlyOnce("ZooKeeper 3.5.10 is not traced: the agent traces 3.6 and newer");
  }

  @Test
  @Tag("slow")
  void agent_loadedTwice_tracesOnce() throws Exception {
    serveTraced(
        List.of(
            agent(installation.agentJar(), ""), agent(installation.agentJar(), ",trace=/other")),
        Optional.empty(),
        run ->
            assertThat(run.versions("zk1", "r1"))
                .containsExactlyElementsOf(
                    LongStream.rangeClosed(0, WRITE_COUNT).boxed().toList()));

    assertThat(output()).containsOnlyOnce("loads the agent twice");
  }

  @Test
  @Tag("slow")
  void agent_wrongOption_serverServesUntraced() throws Exception {
    serveTraced(
        List.of(agent(installation.agentJar(), ",colour=red")),
        Optional.empty(),
        run -> assertThat(run.of("setd")).isEmpty());

    assertThat(output())
        .containsOnlyOnce("this server is not traced: the agent's options are invalid")
        .contains("colour=red");
  }

  private static String agent(Path jar, String options) {
    return "-javaagent:" + jar + "=node=zk1,file=events.blocks" + options;
  }

  private void serveTraced(
      List<String> agents, Optional<Path> version, Consumer<RecordedRun> recorded)
      throws Exception {
    serve(
        agents,
        recorded,
        installation.zookeeperClassPath(version),
        QuorumPeerMain.class.getName(),
        "zoo.cfg");
  }

  /** Runs a server while a client writes, until the recorded events are as expected. */
  private void serve(
      List<String> agents,
      Consumer<RecordedRun> recorded,
      String classPath,
      String mainClass,
      String... arguments)
      throws Exception {
    List<String> jvmArgs = new ArrayList<>(QUICK_START);
    jvmArgs.addAll(agents);
    EnsembleServer server =
        new EnsembleServer(
            "zk1", port, folder, ChildProcess.command(jvmArgs, classPath, mainClass, arguments));
    server.start();
    try {
      server.awaitServing(PATIENCE);
      write(server);
      await()
          .atMost(PATIENCE)
          .ignoreExceptions() // The file may end in the middle of a block.
          .untilAsserted(() -> recorded.accept(RecordedRun.readFolders(List.of(folder))));
      assertThat(server.isRunning()).isTrue();
    } finally {
      server.stop();
    }
  }

  private static void write(EnsembleServer server) throws Exception {
    ZooKeeper client = WriteWorkload.connect(server.address());
    try {
      client.create("/r1", DATA, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
      for (int version = 0; version < WRITE_COUNT; version++) {
        client.setData("/r1", DATA, version);
      }
      assertThat(client.exists("/r1", false).getVersion()).isEqualTo(WRITE_COUNT);
    } finally {
      client.close();
    }
  }

  private String output() throws Exception {
    return Files.readString(folder.resolve("server.out"));
  }

  private static String jars(Path lib) throws Exception {
    try (Stream<Path> files = Files.list(lib)) {
      return files.map(Path::toString).collect(Collectors.joining(File.pathSeparator));
    }
  }

  /** A copy of the agent's jar without one of its classes. */
  private Path agentWithout(String simpleName) throws Exception {
    String left = OWN_PACKAGE + simpleName + ".class";
    Path copy = folder.resolve("agent.jar");
    boolean found = false;
    try (InputStream file = Files.newInputStream(installation.agentJar());
        ZipInputStream in = new ZipInputStream(file);
        OutputStream copied = Files.newOutputStream(copy);
        ZipOutputStream out = new ZipOutputStream(copied)) {
      for (ZipEntry entry = in.getNextEntry(); entry != null; entry = in.getNextEntry()) {
        if (entry.getName().equals(left)) {
          found = true;
        } else {
          out.putNextEntry(new ZipEntry(entry.getName()));
          in.transferTo(out);
        }
      }
    }
    assertThat(found).as(left).isTrue();
    return copy;
  }
}
