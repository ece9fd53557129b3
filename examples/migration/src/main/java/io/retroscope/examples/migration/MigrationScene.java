// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.migration;

import io.retroscope.examples.migration.MigrationCase.Variant;
import io.retroscope.examples.stage.CaseStudy.Scene;
import io.retroscope.examples.stage.CaseStudy.Work;
import io.retroscope.examples.stage.Check;
import io.retroscope.examples.stage.Deadline;
import io.retroscope.examples.stage.History;
import io.retroscope.examples.stage.LoopbackPorts;
import io.retroscope.examples.stage.LoopbackRelay;
import io.retroscope.examples.stage.NodeProcesses;
import io.retroscope.examples.stage.NodeProgram;
import io.retroscope.examples.stage.StageException;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Five regions, each a process, with a relay from each to each other. */
final class MigrationScene implements Scene {
  private static final Duration POLL = Duration.ofMillis(50);

  private final Variant variant;
  private final NodeProcesses regions;
  private final int[] ports;
  private final List<LoopbackRelay> relays = new ArrayList<>();

  /* Guarded by `this`. */
  private final List<PlayedAct> acts = new ArrayList<>();
  private int actCount;

  private MigrationScene(Path folder, URI server, Variant variant) throws StageException {
    this.variant = variant;
    this.regions = new NodeProcesses(folder, server);
    this.ports = LoopbackPorts.take(Regions.NAMES.size(), new Random());
  }

  static MigrationScene start(Path folder, URI server, Variant variant)
      throws StageException, IOException, InterruptedException {
    MigrationScene scene = new MigrationScene(folder, server, variant);
    try {
      for (int region = 0; region < Regions.NAMES.size(); region++) {
        scene.startRegion(region);
      }
      for (String region : Regions.NAMES) {
        scene.regions.awaitFile(region, RegionNode.READY_FILE);
      }
      return scene;
    } catch (StageException | IOException | InterruptedException e) {
      scene.close();
      throw e;
    }
  }

  private void startRegion(int region) throws StageException, IOException {
    String toAll =
        IntStream.range(0, ports.length)
            .map(to -> to == region ? ports[region] : relayed(region, to))
            .mapToObj(Integer::toString)
            .collect(Collectors.joining(","));
    NodeProgram program =
        NodeProgram.of(
            variant.regionClass(),
            Integer.toString(region),
            Integer.toString(ports[region]),
            toAll);
    regions.start(
        Regions.NAMES.get(region),
        program
            .withSkewMicros(-region * variant.behindMicros())
            .withJvmArgs("-Dretroscope.messages=off"));
  }

  /** The port of a relay that delays each direction. */
  private int relayed(int from, int to) {
    LoopbackRelay relay = LoopbackRelay.to(ports[to]);
    relay.delayMillis(Regions.delayMillis(from, to));
    relays.add(relay);
    return relay.port();
  }

  boolean usersMove() {
    return variant.faults();
  }

  /** The number of an act that no act had before, not even one of other work. */
  synchronized int nextAct() {
    return ++actCount;
  }

  /** Begins an act or a phase of it, or ends it. */
  void direct(Act act) throws IOException {
    for (String region : Regions.NAMES) {
      act.write(regions.file(region, Act.FILE));
    }
  }

  /** Waits until this many accesses of a phase are done. */
  void awaitDone(Act act, int count) throws StageException, IOException, InterruptedException {
    Deadline deadline = Deadline.in(Deadline.PATIENCE);
    while (doneCount(act) < count) {
      checkRunning();
      if (deadline.hasPassed()) {
        throw new StageException(
            "only %d of %d accesses of act %d are done after %d s"
                .formatted(doneCount(act), count, act.number(), Deadline.PATIENCE.toSeconds()));
      }
      Deadline.sleep(POLL);
    }
  }

  private long doneCount(Act act) throws IOException {
    return notes().stream()
        .filter(note -> note.act() == act.number() && note.phase() == act.phase())
        .count();
  }

  /** Ends an act: waits until no access and no object is under way. */
  List<RegionState> end(Act act) throws StageException, IOException, InterruptedException {
    direct(act.ended());
    for (String region : Regions.NAMES) {
      regions.awaitFile(region, act.doneFile());
    }
    Deadline deadline = Deadline.in(Deadline.PATIENCE);
    List<RegionState> states = states();
    while (!isSettled(states)) {
      if (deadline.hasPassed()) {
        throw new StageException("objects are still under way: " + states);
      }
      Deadline.sleep(POLL);
      states = states();
    }
    return states;
  }

  private static boolean isSettled(List<RegionState> states) {
    return states.stream().allMatch(state -> state.moving() == 0)
        && states.stream().mapToInt(RegionState::given).sum()
            == states.stream().mapToInt(RegionState::taken).sum();
  }

  List<RegionState> states() throws StageException, IOException, InterruptedException {
    for (String region : Regions.NAMES) {
      Files.deleteIfExists(regions.file(region, RegionNode.ANSWER_FILE));
      Files.createFile(regions.file(region, RegionNode.ASK_FILE));
    }
    List<RegionState> states = new ArrayList<>();
    for (String region : Regions.NAMES) {
      regions.awaitFile(region, RegionNode.ANSWER_FILE);
      states.add(RegionState.parse(Files.readString(regions.file(region, RegionNode.ANSWER_FILE))));
    }
    return states;
  }

  private List<Note> notes() throws IOException {
    List<Note> notes = new ArrayList<>();
    for (String region : Regions.NAMES) {
      String text = Files.readString(regions.file(region, Users.NOTES_FILE));
      // A line that is being written is read the next time.
      text.substring(0, text.lastIndexOf('\n') + 1).lines().map(Note::parse).forEach(notes::add);
    }
    return notes;
  }

  synchronized void played(PlayedAct act) {
    acts.add(act);
  }

  synchronized List<PlayedAct> acts() {
    return List.copyOf(acts);
  }

  @Override
  public List<String> nodes() {
    return Regions.NAMES.stream().sorted().toList();
  }

  @Override
  public List<String> introduction() {
    return List.of(
        "VA OR CA IR JP  regions with the round trips between them, 28 to 218 ms",
        "                %d objects, and two users in each region".formatted(Regions.OBJECTS));
  }

  @Override
  public Work begin() {
    return MigrationWork.begin(this);
  }

  @Override
  public void checkRunning() throws StageException {
    regions.checkRunning();
  }

  @Override
  public List<Check> checks(History history) throws StageException, IOException {
    try {
      return new MigrationOracle(history, states(), notes(), acts(), usersMove()).checks();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StageException("interrupted while the regions were asked for their states", e);
    }
  }

  @Override
  public void leave(Path outFolder) throws IOException {
    Files.writeString(outFolder.resolve("migration.txt"), Pace.table(notes(), acts()));
  }

  @Override
  public void close() {
    regions.close();
    relays.forEach(LoopbackRelay::close);
  }
}
