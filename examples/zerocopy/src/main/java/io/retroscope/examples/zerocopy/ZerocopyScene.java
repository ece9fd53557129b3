// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.zerocopy;

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
import io.retroscope.examples.zerocopy.ZerocopyCase.Variant;
import java.io.IOException;
import java.net.URI;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

/** A client, a primary, a standby and an auxiliary, each a process. */
final class ZerocopyScene implements Scene {
  static final String CLIENT = "c1";
  static final String PRIMARY = "a1";
  static final String STANDBY = "a2";
  static final String AUXILIARY = "x1";

  private static final Duration POLL = Duration.ofMillis(50);
  private static final Duration STANDBY_PATIENCE = Duration.ofSeconds(3);

  private final Variant variant;
  private final NodeProcesses nodes;
  private final int[] ports;

  /* Guarded by `this`. */
  private final List<PlayedAct> acts = new ArrayList<>();
  private int actCount;

  private ZerocopyScene(Path folder, URI server, Variant variant) throws StageException {
    this.variant = variant;
    this.nodes = new NodeProcesses(folder, server);
    this.ports = LoopbackPorts.take(3, new Random());
  }

  static ZerocopyScene start(Path folder, URI server, Variant variant)
      throws StageException, IOException, InterruptedException {
    ZerocopyScene scene = new ZerocopyScene(folder, server, variant);
    try {
      scene.startStandby();
      scene.startNode(AUXILIARY, AuxiliaryNode.class, scene.port(2));
      scene.startNode(
          PRIMARY,
          PrimaryNode.class,
          scene.port(0),
          scene.port(1),
          scene.port(2),
          Long.toString(scene.standbyPatience().toMillis()));
      for (String node : List.of(STANDBY, AUXILIARY, PRIMARY)) {
        scene.nodes.awaitFile(node, StandbyNode.READY_FILE);
      }
      scene.startNode(CLIENT, ClientNode.class, scene.port(0));
      scene.nodes.awaitFile(CLIENT, ClientNode.READY_FILE);
      return scene;
    } catch (StageException | IOException | InterruptedException e) {
      scene.close();
      throw e;
    }
  }

  /** A standby that no fault has stopped is never too slow. */
  private Duration standbyPatience() {
    return hasFaults() ? STANDBY_PATIENCE : Deadline.PATIENCE;
  }

  private String port(int index) {
    return Integer.toString(ports[index]);
  }

  private void startNode(String node, Class<?> program, String... args)
      throws StageException, IOException {
    start(node, NodeProgram.of(program.getName(), args));
  }

  private void startStandby() throws StageException, IOException {
    start(
        STANDBY,
        NodeProgram.of(variant.standbyClass(), port(1)).withSkewMicros(-variant.behindMicros()));
  }

  private void start(String node, NodeProgram program) throws StageException, IOException {
    nodes.start(node, program.withJvmArgs("-Dretroscope.messages=off"));
  }

  boolean hasFaults() {
    return variant.faults();
  }

  ChildProcess standby() {
    return nodes.process(STANDBY);
  }

  /** The number of an act that no act had before, not even one of other work. */
  synchronized int nextAct() {
    return ++actCount;
  }

  /** Begins an act. */
  void direct(Act act) throws IOException {
    for (String node : nodes()) {
      act.write(nodes.file(node, Act.FILE));
    }
  }

  /** Ends an act for the client alone: waits until its last write is acknowledged. */
  void end(Act act) throws StageException, IOException, InterruptedException {
    act.ended().write(nodes.file(CLIENT, Act.FILE));
    nodes.awaitFile(CLIENT, act.doneFile());
  }

  /** Waits until this many writes of an act are acknowledged. */
  void awaitDone(Act act, int count) throws StageException, IOException, InterruptedException {
    Deadline deadline = Deadline.in(Deadline.PATIENCE);
    while (doneCount(act) < count) {
      checkRunning();
      if (deadline.hasPassed()) {
        throw new StageException(
            "only %d of %d writes of act %d are acknowledged after %d s"
                .formatted(doneCount(act), count, act.number(), Deadline.PATIENCE.toSeconds()));
      }
      Deadline.sleep(POLL);
    }
  }

  private long doneCount(Act act) throws IOException {
    return notes().stream().filter(note -> note.act() == act.number()).count();
  }

  /** Waits until the auxiliary has a part of the log beside those before. */
  void awaitPart(int partCount) throws StageException, IOException, InterruptedException {
    Deadline deadline = Deadline.in(Deadline.PATIENCE);
    while (parts().size() <= partCount) {
      checkRunning();
      if (deadline.hasPassed()) {
        throw new StageException("the auxiliary is not needed");
      }
      Deadline.sleep(POLL);
    }
  }

  /** The files of the auxiliary. */
  List<Path> parts() throws IOException {
    try (Stream<Path> files = Files.list(nodes.file(AUXILIARY, ""))) {
      return files
          .filter(file -> file.getFileName().toString().startsWith(AuxiliaryNode.PART_FILE))
          .sorted()
          .toList();
    }
  }

  /** Waits until primary and standby have as many bytes as the client has written. */
  void awaitSettled() throws StageException, IOException, InterruptedException {
    Deadline deadline = Deadline.in(Deadline.PATIENCE);
    while (size(input()) != size(log(PRIMARY)) || size(input()) != size(log(STANDBY))) {
      checkRunning();
      if (deadline.hasPassed()) {
        throw new StageException(
            "the primary has %d bytes and the standby %d of %d"
                .formatted(size(log(PRIMARY)), size(log(STANDBY)), size(input())));
      }
      Deadline.sleep(POLL);
    }
    Deadline.sleep(POLL); // What the file has is about to be forced and recorded.
  }

  Path input() {
    return nodes.file(CLIENT, ClientNode.INPUT_FILE);
  }

  Path log(String node) {
    return nodes.file(node, StandbyNode.LOG_FILE);
  }

  static long size(Path file) throws IOException {
    return Files.exists(file) ? Files.size(file) : 0;
  }

  /** Ends the standby as a power failure does: what it has not forced is lost. */
  void crashStandby() throws StageException, IOException, InterruptedException {
    awaitTraced();
    nodes.expectEnd(STANDBY);
    standby().kill();
    long forced = Long.parseLong(Files.readString(nodes.file(STANDBY, StandbyNode.FORCED_FILE)));
    try (FileChannel log = FileChannel.open(log(STANDBY), StandardOpenOption.WRITE)) {
      log.truncate(forced);
    }
    startStandby();
  }

  /** Waits until the log server has what the standby has recorded. */
  private void awaitTraced() throws StageException, IOException, InterruptedException {
    Path file = nodes.file(STANDBY, StandbyNode.TRACED_FILE);
    Deadline deadline = Deadline.in(Deadline.PATIENCE);
    while (!Files.exists(file) || !Files.readString(file).equals(Long.toString(size(input())))) {
      checkRunning();
      if (deadline.hasPassed()) {
        throw new StageException("the standby's events do not arrive at the log server");
      }
      Deadline.sleep(POLL);
    }
  }

  List<Note> notes() throws IOException {
    String text = Files.readString(nodes.file(CLIENT, ClientNode.NOTES_FILE));
    // A line that is being written is read the next time.
    return text.substring(0, text.lastIndexOf('\n') + 1).lines().map(Note::parse).toList();
  }

  /**
   * The primary's: bytes shipped, bytes of acknowledgements, how often the auxiliary stepped in.
   */
  List<Long> counts() throws IOException {
    String counts = Files.readString(nodes.file(PRIMARY, PrimaryNode.COUNTS_FILE));
    return Arrays.stream(counts.split(" ", -1)).map(Long::valueOf).toList();
  }

  long gaps() throws IOException {
    Path file = nodes.file(STANDBY, StandbyNode.GAPS_FILE);
    return Files.exists(file) ? Files.readAllLines(file).size() : 0;
  }

  synchronized void played(PlayedAct act) {
    acts.add(act);
  }

  synchronized List<PlayedAct> acts() {
    return List.copyOf(acts);
  }

  @Override
  public List<String> nodes() {
    return List.of(PRIMARY, STANDBY, CLIENT, AUXILIARY);
  }

  @Override
  public List<String> introduction() {
    return List.of(
        "a1, a2      a primary that ships its log to a standby",
        "x1          an auxiliary, for what is written while a2 is missing",
        "c1          a client");
  }

  @Override
  public Work begin() {
    return ZerocopyWork.begin(this);
  }

  @Override
  public void checkRunning() throws StageException {
    nodes.checkRunning();
  }

  @Override
  public List<Check> checks(History history) throws StageException, IOException {
    return new ShippingOracle(history, this).checks();
  }

  @Override
  public void leave(Path outFolder) throws IOException {
    Files.writeString(outFolder.resolve("zerocopy.txt"), Pace.table(notes(), acts()));
  }

  @Override
  public void close() {
    nodes.close();
  }
}
