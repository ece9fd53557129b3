// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.paxos;

import io.retroscope.examples.paxos.PaxosCase.Variant;
import io.retroscope.examples.stage.CaseStudy.Scene;
import io.retroscope.examples.stage.CaseStudy.Work;
import io.retroscope.examples.stage.Check;
import io.retroscope.examples.stage.ChildProcess;
import io.retroscope.examples.stage.Deadline;
import io.retroscope.examples.stage.History;
import io.retroscope.examples.stage.LoopbackPorts;
import io.retroscope.examples.stage.NodeProcesses;
import io.retroscope.examples.stage.NodeProgram;
import io.retroscope.examples.stage.StageException;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Four zones, each a process. */
final class PaxosScene implements Scene {
  private static final Duration POLL = Duration.ofMillis(50);

  private final Variant variant;
  private final NodeProcesses zones;
  private final String ports;

  /* Guarded by `this`. */
  private final List<Failure> failures = new ArrayList<>();

  private String user = Act.NOBODY;
  private int userChanges;
  private int actCount;

  private PaxosScene(Path folder, URI server, Variant variant) throws StageException {
    this.variant = variant;
    this.zones = new NodeProcesses(folder, server);
    this.ports =
        Arrays.stream(LoopbackPorts.take(Layout.ZONES.size(), new Random()))
            .mapToObj(Integer::toString)
            .collect(Collectors.joining(","));
  }

  static PaxosScene start(Path folder, URI server, Variant variant)
      throws StageException, IOException, InterruptedException {
    PaxosScene scene = new PaxosScene(folder, server, variant);
    try {
      for (String zone : Layout.ZONES) {
        scene.startZone(zone);
      }
      for (String zone : Layout.ZONES) {
        scene.zones.awaitFile(zone, PaxosNode.READY_FILE);
      }
      return scene;
    } catch (StageException | IOException | InterruptedException e) {
      scene.close();
      throw e;
    }
  }

  private void startZone(String zone) throws StageException, IOException {
    zones.start(
        zone,
        NodeProgram.of(variant.nodeClass(), zone, ports, Integer.toString(variant.needed()))
            .withSkewMicros(-Layout.ZONES.indexOf(zone) * variant.behindMicros())
            .withJvmArgs("-Dretroscope.messages=off"));
  }

  Variant variant() {
    return variant;
  }

  ChildProcess process(String zone) {
    return zones.process(zone);
  }

  /** The number of an act that no act had before, not even one of other work. */
  synchronized int nextAct() {
    return ++actCount;
  }

  /** Begins an act. */
  void direct(Act act) throws IOException {
    for (String zone : Layout.ZONES) {
      act.write(zones.file(zone, Act.FILE));
    }
  }

  /** Continues an act with another user of the shared object. */
  synchronized void use(Act act) throws IOException {
    userChanges += user.equals(Act.NOBODY) || user.equals(act.user()) ? 0 : 1;
    user = act.user();
    direct(act);
  }

  /** How often the shared object had to follow another user. */
  synchronized int userChanges() {
    return userChanges;
  }

  /** Ends an act: waits until no client of these zones has a command that is not done. */
  void end(Act act, List<String> waitedFor)
      throws StageException, IOException, InterruptedException {
    direct(act.ended());
    for (String zone : waitedFor) {
      zones.awaitFile(zone, act.doneFile());
    }
  }

  /** Waits until this many commands of an act are done. */
  void awaitDone(Act act, int count) throws StageException, IOException, InterruptedException {
    Deadline deadline = Deadline.in(Deadline.PATIENCE);
    while (doneCount(act) < count) {
      checkRunning();
      if (deadline.hasPassed()) {
        throw new StageException(
            "only %d of %d commands of %s are done after %d s"
                .formatted(doneCount(act), count, act.protocol(), Deadline.PATIENCE.toSeconds()));
      }
      Deadline.sleep(POLL);
    }
  }

  int doneCount(Act act) throws IOException {
    return (int) notes().stream().filter(note -> note.act() == act.number()).count();
  }

  /** Waits until a command of EPaxos has needed a second round trip. */
  void awaitConflict() throws StageException, IOException, InterruptedException {
    Deadline deadline = Deadline.in(Deadline.PATIENCE);
    while (sum(states(), EpaxosReplica.SLOW) == 0) {
      checkRunning();
      if (deadline.hasPassed()) {
        throw new StageException(
            "no commands of EPaxos have conflicted within %d s"
                .formatted(Deadline.PATIENCE.toSeconds()));
      }
      Deadline.sleep(POLL);
    }
  }

  /** Waits until the first replica of a zone, and no other, owns the shared object of WPaxos. */
  void awaitOwner(String zone) throws StageException, IOException, InterruptedException {
    Deadline deadline = Deadline.in(Deadline.PATIENCE);
    List<String> wanted = Layout.replicas(zone).subList(0, 1);
    List<String> owners = owners(states());
    while (!owners.equals(wanted)) {
      checkRunning();
      if (deadline.hasPassed()) {
        throw new StageException(
            "the shared object of WPaxos is used in %s, but owned by %s after %d s"
                .formatted(zone, owners, Deadline.PATIENCE.toSeconds()));
      }
      Deadline.sleep(POLL);
      owners = owners(states());
    }
  }

  private static List<String> owners(List<ReplicaState> states) {
    return states.stream()
        .filter(state -> state.counter(WpaxosReplica.OWNS) > 0)
        .map(ReplicaState::node)
        .toList();
  }

  private static int sum(List<ReplicaState> states, String counter) {
    return states.stream().mapToInt(state -> state.counter(counter)).sum();
  }

  /** Waits until all replicas have executed the same commands, and no message is under way. */
  void awaitSettled() throws StageException, IOException, InterruptedException {
    Deadline deadline = Deadline.in(Deadline.PATIENCE);
    List<ReplicaState> before = states();
    List<ReplicaState> now = states();
    while (!isQuiet(before, now) || !differences(now).isEmpty()) {
      checkRunning();
      if (deadline.hasPassed()) {
        throw new StageException(
            "the replicas are not at rest after %d s; messages sent and received: %d and %d; executed, where it differs: %s"
                .formatted(
                    Deadline.PATIENCE.toSeconds(),
                    sum(now, Replica.SENT),
                    sum(now, Replica.RECEIVED),
                    String.join("; ", differences(now))));
      }
      Deadline.sleep(POLL);
      before = now;
      now = states();
    }
  }

  /**
   * Whether no message between replicas is under way: as many had been sent in the second states,
   * each read at another time, as were received in the first ones.
   */
  static boolean isQuiet(List<ReplicaState> first, List<ReplicaState> second) {
    return sum(second, Replica.SENT) == sum(first, Replica.RECEIVED);
  }

  /** The protocols whose members have executed different commands, and how many each of them. */
  private static List<String> differences(List<ReplicaState> states) {
    Map<String, List<String>> membersOf =
        Map.of(
            "paxos", Layout.REPLICAS,
            "epaxos", EpaxosReplica.MEMBERS,
            "wpaxos", WpaxosReplica.MEMBERS);
    List<String> found = new ArrayList<>();
    membersOf.forEach(
        (protocol, members) -> {
          if (!agree(states, protocol, members)) {
            found.add(protocol + " " + executed(states, protocol));
          }
        });
    return found;
  }

  private static Map<String, Integer> executed(List<ReplicaState> states, String protocol) {
    Map<String, Integer> counts = new TreeMap<>();
    for (ReplicaState state : states) {
      Map<String, List<String>> chains = state.chainsOf(protocol);
      if (!chains.isEmpty()) {
        counts.put(state.node(), chains.values().stream().mapToInt(List::size).sum());
      }
    }
    return counts;
  }

  /** Whether the members of a protocol have executed the same commands. */
  static boolean agree(List<ReplicaState> states, String protocol, List<String> members) {
    return states.stream()
            .filter(state -> members.contains(state.node()))
            .map(state -> state.chainsOf(protocol))
            .distinct()
            .count()
        == 1;
  }

  private List<ReplicaState> states() throws StageException, IOException, InterruptedException {
    List<ReplicaState> states = new ArrayList<>();
    for (String zone : Layout.ZONES) {
      Files.deleteIfExists(zones.file(zone, PaxosNode.ANSWER_FILE));
      Files.createFile(zones.file(zone, PaxosNode.ASK_FILE));
    }
    for (String zone : Layout.ZONES) {
      zones.awaitFile(zone, PaxosNode.ANSWER_FILE);
      Files.readAllLines(zones.file(zone, PaxosNode.ANSWER_FILE)).stream()
          .map(ReplicaState::parse)
          .forEach(states::add);
    }
    return states;
  }

  private List<ClientNote> notes() throws IOException {
    List<ClientNote> notes = new ArrayList<>();
    for (String zone : Layout.ZONES) {
      String text = Files.readString(zones.file(zone, Client.NOTES_FILE));
      // A line that is being written is read the next time.
      text.substring(0, text.lastIndexOf('\n') + 1)
          .lines()
          .map(ClientNote::parse)
          .forEach(notes::add);
    }
    return notes;
  }

  /** The messages that zones noted as late. */
  List<Delay> delays() throws IOException {
    List<Delay> delays = new ArrayList<>();
    for (String zone : Layout.ZONES) {
      delays.addAll(Delay.read(zone, zones.file(zone, Delay.FILE)));
    }
    return delays;
  }

  synchronized void failed(Failure failure) {
    failures.add(failure);
  }

  synchronized List<Failure> failures() {
    return List.copyOf(failures);
  }

  @Override
  public List<String> nodes() {
    return Stream.concat(Layout.clients().stream(), Layout.REPLICAS.stream()).toList();
  }

  @Override
  public List<String> introduction() {
    return List.of(
        "r00 to r24  replicas in four zones of 1, 8, 8 and 8, each zone a process",
        "c0 to c3    clients",
        variant.faults() ? "            a zone is stopped for a while" : "            no faults");
  }

  @Override
  public Work begin() {
    return PaxosWork.begin(this);
  }

  @Override
  public void checkRunning() throws StageException {
    zones.checkRunning();
  }

  @Override
  public List<Check> checks(History history) throws StageException, IOException {
    try {
      return new PaxosOracle(history, this, states(), notes()).checks();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StageException("interrupted while the replicas were asked for their states", e);
    }
  }

  @Override
  public void leave(Path outFolder) throws IOException {
    Files.writeString(outFolder.resolve("paxos.txt"), new Pace(notes(), failures()).table());
  }

  @Override
  public void close() {
    zones.close();
  }
}
