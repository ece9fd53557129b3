// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.kafka;

import io.retroscope.event.Value;
import io.retroscope.event.Value.LongValue;
import io.retroscope.event.Value.SetValue;
import io.retroscope.event.Value.StringValue;
import io.retroscope.event.Value.StructValue;
import io.retroscope.examples.stage.BuiltProject;
import io.retroscope.examples.stage.ChildProcess;
import io.retroscope.examples.stage.Deadline;
import io.retroscope.examples.stage.LoopbackPorts;
import io.retroscope.examples.stage.StageException;
import io.retroscope.rql.json.JsonValues;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The servers of a cluster, each in a process. Thread-safe. */
final class ClusterProcesses implements AutoCloseable {
  /** The number of servers. */
  static final int COUNT = 3;

  private static final Duration POLL = Duration.ofMillis(100);
  private static final Duration ANSWER_TIMEOUT = Duration.ofSeconds(10);
  private static final int MAX_STARTS = 5;
  private static final int TOKEN_BYTES = 32;
  private static final List<String> JVM_ARGS = List.of("-Xmx384m", "-XX:+UseSerialGC");

  private final int[] ports;
  private final List<ChildProcess> processes = new ArrayList<>();
  private final HttpClient http = HttpClient.newHttpClient();
  private final Thread hook = new Thread(this::killAll, "cluster-kill");

  /**
   * The partitions of each server, as one of them knows it.
   *
   * @param owned by the number of the server, from 0
   * @param copies by the number of the server
   * @param stored the partitions that have records, of those at the server that was asked
   */
  record Placement(List<Set<Integer>> owned, List<Set<Integer>> copies, Set<Integer> stored) {
    int ownedCount() {
      return owned.stream().mapToInt(Set::size).sum();
    }

    int copyCount() {
      return copies.stream().mapToInt(Set::size).sum();
    }

    /** The server that has neither a partition nor its copy. */
    Optional<Integer> without(int partition) {
      for (int server = 0; server < owned.size(); server++) {
        if (!owned.get(server).contains(partition) && !copies.get(server).contains(partition)) {
          return Optional.of(server);
        }
      }
      return Optional.empty();
    }

    /** The owner of a partition. */
    Optional<Integer> ownerOf(int partition) {
      for (int server = 0; server < owned.size(); server++) {
        if (owned.get(server).contains(partition)) {
          return Optional.of(server);
        }
      }
      return Optional.empty();
    }
  }

  private ClusterProcesses(int[] ports) {
    this.ports = ports;
    Runtime.getRuntime().addShutdownHook(hook);
  }

  /**
   * Starts the servers; their partitions are not distributed yet.
   *
   * @param firstPort of the first server, 0 for a free one
   */
  static ClusterProcesses start(Path folder, String brokers, int firstPort)
      throws StageException, IOException, InterruptedException {
    int[] ports = LoopbackPorts.take(COUNT, new Random());
    ports[0] = firstPort == 0 ? ports[0] : firstPort;
    Path token = folder.resolve("token");
    Files.createFile(
        token, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    byte[] secret = new byte[TOKEN_BYTES];
    new SecureRandom().nextBytes(secret);
    Files.writeString(token, HexFormat.of().formatHex(secret));
    ClusterProcesses servers = new ClusterProcesses(ports);
    try {
      for (int i = 0; i < COUNT; i++) {
        Path own = Files.createDirectories(folder.resolve("server" + (i + 1)));
        servers.start(own, brokers, token);
      }
      for (int i = 0; i < COUNT; i++) {
        servers.awaitAnswer(i);
      }
      return servers;
    } catch (StageException | IOException | InterruptedException e) {
      servers.close();
      throw e;
    }
  }

  private void start(Path folder, String brokers, Path token) throws StageException {
    int number = processes.size();
    List<String> command =
        ChildProcess.command(
            JVM_ARGS,
            BuiltProject.ownClassPath(),
            ClusterNode.class.getName(),
            folder.resolve("data").toString(),
            Integer.toString(ports[number]),
            brokers,
            token.toString());
    ChildProcess process =
        new ChildProcess("server " + (number + 1), folder, "server.out", command);
    processes.add(process);
    process.start();
  }

  private void awaitAnswer(int number) throws StageException, InterruptedException {
    Deadline deadline = Deadline.in(Deadline.PATIENCE);
    for (int starts = 1; placement(number).isEmpty(); ) {
      if (!isRunning(number) && starts++ < MAX_STARTS) {
        processes.get(number).start(); // On a busy machine the broker may not answer in time.
      }
      checkRunning(number);
      if (deadline.hasPassed()) {
        throw new StageException("server %d does not answer".formatted(number + 1));
      }
      Deadline.sleep(POLL);
    }
  }

  private void checkRunning(int server) throws StageException {
    if (!isRunning(server)) {
      throw new StageException(
          "server " + (server + 1) + " ended" + processes.get(server).complaint());
    }
  }

  /** The address of a server, whose number is from 0. */
  URI uri(int server) {
    return URI.create("http://127.0.0.1:" + ports[server]);
  }

  /** Ends a server with SIGKILL. */
  void kill(int server) {
    processes.get(server).kill();
  }

  /** Whether the process of a server runs. */
  boolean isRunning(int server) {
    return processes.get(server).isRunning();
  }

  /**
   * Waits until each partition has an owner and a copy, as all running servers know.
   *
   * @throws StageException if one ends or the time limit elapses before that
   */
  void awaitPlaced(int partitionCount) throws StageException, InterruptedException {
    Deadline deadline = Deadline.in(Deadline.PATIENCE);
    while (!isPlaced(partitionCount)) {
      for (int i = 0; i < COUNT; i++) {
        checkRunning(i);
      }
      if (deadline.hasPassed()) {
        throw new StageException(
            "the partitions were not distributed within %d s"
                .formatted(Deadline.PATIENCE.toSeconds()));
      }
      Deadline.sleep(POLL);
    }
  }

  private boolean isPlaced(int partitionCount) throws InterruptedException {
    for (int i = 0; i < COUNT; i++) {
      Optional<Placement> placement = placement(i);
      if (placement.isEmpty()
          || placement.get().ownedCount() != partitionCount
          || placement.get().copyCount() != partitionCount
          || placement.get().owned().stream().anyMatch(Set::isEmpty)) {
        return false;
      }
    }
    return true;
  }

  /** The partitions of all servers as one of them knows it; empty if it does not answer. */
  Optional<Placement> placement(int server) throws InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(uri(server).resolve("/v1/cluster")).timeout(ANSWER_TIMEOUT).build();
    try {
      HttpResponse<String> response = http.send(request, BodyHandlers.ofString());
      return response.statusCode() == 200
          ? Optional.of(placement((StructValue) JsonValues.parse(response.body())))
          : Optional.empty();
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  private Placement placement(StructValue answer) {
    List<Set<Integer>> owned = new ArrayList<>();
    List<Set<Integer>> copies = new ArrayList<>();
    for (int i = 0; i < COUNT; i++) {
      owned.add(new TreeSet<>());
      copies.add(new TreeSet<>());
    }
    for (Value entry : elements(answer.fields().get("servers"))) {
      StructValue server = (StructValue) entry;
      String address = text(server.fields().get("address"));
      for (int i = 0; i < COUNT; i++) {
        if (address.endsWith(":" + ports[i])) {
          owned.get(i).addAll(numbers(server.fields().get("owned")));
          copies.get(i).addAll(numbers(server.fields().get("copies")));
        }
      }
    }
    Set<Integer> stored = new TreeSet<>();
    if (answer.fields().get("offsetsHere") instanceof StructValue offsets) {
      offsets
          .fields()
          .forEach(
              (partition, offset) -> {
                if (((LongValue) offset).value() > 0) {
                  stored.add(Integer.parseInt(partition));
                }
              });
    }
    return new Placement(owned, copies, stored);
  }

  private static String text(@Nullable Value value) {
    return value instanceof StringValue text ? text.value() : "";
  }

  private static List<Integer> numbers(@Nullable Value list) {
    return elements(list).stream().map(value -> (int) ((LongValue) value).value()).toList();
  }

  /** A list of JSON is read as a set. */
  private static Collection<Value> elements(@Nullable Value list) {
    return list instanceof SetValue set ? set.elements() : List.of();
  }

  @Override
  public void close() {
    killAll();
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The virtual machine is shutting down: the hook has run or will run, without effect.
    }
  }

  private void killAll() {
    processes.forEach(ChildProcess::close);
  }
}
