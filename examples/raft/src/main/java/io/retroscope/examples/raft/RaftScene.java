package io.retroscope.examples.raft;

import io.retroscope.examples.raft.RaftCase.Variant;
import io.retroscope.examples.stage.BuiltProject;
import io.retroscope.examples.stage.CaseStudy.Scene;
import io.retroscope.examples.stage.CaseStudy.Work;
import io.retroscope.examples.stage.Check;
import io.retroscope.examples.stage.ChildProcess;
import io.retroscope.examples.stage.History;
import io.retroscope.examples.stage.LoopbackPorts;
import io.retroscope.examples.stage.StageException;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/** Three servers of a Raft group, each a process, and their client. */
final class RaftScene implements Scene {
  private static final List<String> QUICK_START =
      List.of("-Xmx192m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");

  private final Variant variant;
  private final String[] ports;
  private final GroupClient client;
  private final Map<String, ChildProcess> servers = new TreeMap<>();
  private final List<Pause> pauses = new ArrayList<>();

  private RaftScene(Variant variant) throws StageException {
    this.variant = variant;
    this.ports =
        Arrays.stream(LoopbackPorts.take(Group.MEMBERS.size(), new Random()))
            .mapToObj(Integer::toString)
            .toArray(String[]::new);
    this.client = new GroupClient(ports);
  }

  static RaftScene start(Path folder, URI server, Variant variant)
      throws StageException, IOException, InterruptedException {
    RaftScene scene = new RaftScene(variant);
    try {
      for (String member : Group.MEMBERS) {
        scene.startServer(member, Files.createDirectories(folder.resolve(member)), server);
      }
      scene.client.awaitOneLeader();
      return scene;
    } catch (StageException | IOException | InterruptedException e) {
      scene.close();
      throw e;
    }
  }

  private void startServer(String node, Path home, URI server) throws StageException {
    List<String> jvmArgs = new ArrayList<>(QUICK_START);
    jvmArgs.add("-Dretroscope.node=" + node);
    jvmArgs.add("-Dretroscope.server=" + server);
    ChildProcess process =
        new ChildProcess(
            "server " + node,
            home,
            "server.out",
            ChildProcess.command(
                jvmArgs, BuiltProject.ownClassPath(), variant.serverClass(), ports));
    servers.put(node, process);
    process.start();
  }

  ChildProcess server(String node) {
    ChildProcess process = servers.get(node);
    if (process == null) {
      throw new IllegalArgumentException("no such server: " + node);
    }
    return process;
  }

  /** Adds a pause that is over. */
  synchronized void paused(Pause pause) {
    pauses.add(pause);
  }

  synchronized List<Pause> pauses() {
    return List.copyOf(pauses);
  }

  @Override
  public List<String> nodes() {
    return Group.MEMBERS;
  }

  @Override
  public List<String> introduction() {
    return List.of(
        "n1, n2, n3  one group of Apache Ratis, on ports " + String.join(", ", ports),
        variant.pauses()
            ? "            now and then the leader is stopped for 4 s"
            : "            without pauses");
  }

  @Override
  public Work begin() {
    return GroupWork.begin(this, client, variant.pauses());
  }

  @Override
  public void checkRunning() throws StageException {
    for (Map.Entry<String, ChildProcess> server : servers.entrySet()) {
      if (!server.getValue().isRunning()) {
        throw new StageException(
            "server %s ended; its output is in %s"
                .formatted(server.getKey(), server.getValue().output()));
      }
    }
  }

  @Override
  public List<Check> checks(History history) throws StageException, IOException {
    return new LeaderOracle(history, pauses()).checks();
  }

  @Override
  public void close() {
    client.close();
    servers.values().forEach(ChildProcess::close);
  }
}
