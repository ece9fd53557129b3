// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.event.Event;
import io.retroscope.event.EventBody.StateChange;
import io.retroscope.examples.stage.Deadline;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.LongStream;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Checks that the ensemble could have passed through every state in the cuts of a real run,
 * although the servers' clocks disagree by 65 ms.
 */
final class ConsistencyTest {
  private static final byte[] DATA = {1};
  private static final int WRITE_COUNT = 60;

  /** The time after which a server's events are in its file, so that a kill loses nothing. */
  private static final Duration HANDED_ON = Duration.ofMillis(500);

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** The leader, which has the highest id, is ahead of the others. */
  private static final Map<String, Long> SKEW = Map.of("zk1", -25_000L, "zk3", 40_000L);

  @TempDir Path folder;

  @Test
  void applies_skewedClocks_allComeAfterTheirProposals() throws Exception {
    try (ZookeeperEnsemble ensemble = ZookeeperEnsemble.start(options());
        Session session = new Session(ensemble.connectString())) {
      session.create("/r1");
      session.write("/r1", WRITE_COUNT);
      session.multi();
      session.client.delete("/r2", -1);
      ensemble.servers().forEach(ConsistencyTest::sync);
    }

    RecordedRun run = RecordedRun.read(folder);
    Map<String, Integer> checked = run.checkAppliesAgainstProposals();
    assertThat(checked.keySet()).containsExactly("zk1", "zk2", "zk3");
    assertThat(checked.values()).allMatch(count -> count > WRITE_COUNT);
    for (String node : EnsembleOptions.NODES) {
      assertThat(run.versions(node, "r1")).containsExactlyElementsOf(upTo(WRITE_COUNT + 2));
    }
    assertThat(run.appliesThatPhysicalTimePutsBeforeTheirProposal())
        .as("without stamps on the messages, clocks this wrong would show effects before causes")
        .isGreaterThan(WRITE_COUNT / 2);
    assertThat(multisOf(run)).hasSize(3);
    run.checkNoGaps();
  }

  @Test
  @Tag("slow")
  void applies_serverKilledAndRestarted_recordsNoReplay() throws Exception {
    try (ZookeeperEnsemble ensemble = ZookeeperEnsemble.start(options());
        Session session = new Session(ensemble.connectStringWithout("zk1"))) {
      session.create("/r1");
      session.write("/r1", WRITE_COUNT);
      sync(ensemble.server("zk1"));
      ensemble.server("zk1").kill();
      session.write("/r1", WRITE_COUNT);
      ensemble.server("zk1").start();
      ensemble.server("zk1").awaitServing(PATIENCE);
      session.write("/r1", WRITE_COUNT);
      ensemble.servers().forEach(ConsistencyTest::sync);
    }

    RecordedRun run = RecordedRun.read(folder);
    assertThat(run.checkAppliesAgainstProposals()).containsOnlyKeys("zk1", "zk2", "zk3");
    assertThat(run.versions("zk2", "r1")).containsExactlyElementsOf(upTo(3 * WRITE_COUNT));
    List<Long> versions = run.versions("zk1", "r1");
    assertThat(versions).isSorted().endsWith(3L * WRITE_COUNT);
    assertThat(versions)
        .as("versions written while it was down are in no state that it served")
        .doesNotContainAnyElementsOf(
            LongStream.range(WRITE_COUNT + 1, 2 * WRITE_COUNT).boxed().toList());
  }

  @Test
  @Tag("slow")
  void applies_oneServerWithoutAgent_areConsistentAtTheOthers() throws Exception {
    EnsembleOptions options = options().withoutAgentAt(Set.of("zk1"));
    try (ZookeeperEnsemble ensemble = ZookeeperEnsemble.start(options);
        Session session = new Session(ensemble.server("zk1").address())) {
      session.create("/r1");
      session.write("/r1", WRITE_COUNT);
      ensemble.servers().forEach(ConsistencyTest::sync);
      assertThat(session.client.exists("/r1", false).getVersion()).isEqualTo(WRITE_COUNT);
    }

    RecordedRun run = RecordedRun.read(folder);
    assertThat(run.checkAppliesAgainstProposals()).containsOnlyKeys("zk2", "zk3");
    assertThat(run.versions("zk2", "r1")).containsExactlyElementsOf(upTo(WRITE_COUNT));
  }

  @Test
  @Tag("slow")
  void applies_leaderKilledAndAnotherElected_stayConsistent() throws Exception {
    try (ZookeeperEnsemble ensemble = ZookeeperEnsemble.start(options());
        Session session = new Session(ensemble.connectString())) {
      session.create("/r1");
      session.write("/r1", WRITE_COUNT);
      EnsembleServer leader = ensemble.leader().orElseThrow();
      Deadline.sleep(HANDED_ON);
      leader.kill();
      Awaitility.await().atMost(PATIENCE).until(() -> ensemble.leader().isPresent());
      try (Session second = new Session(ensemble.connectStringWithout(leader.node()))) {
        second.write("/r1", WRITE_COUNT);
        leader.start();
        leader.awaitServing(PATIENCE);
        second.write("/r1", WRITE_COUNT);
      }
      ensemble.servers().forEach(ConsistencyTest::sync);
    }

    RecordedRun run = RecordedRun.read(folder);
    assertThat(run.checkAppliesAgainstProposals()).containsOnlyKeys("zk1", "zk2", "zk3");
    for (String node : EnsembleOptions.NODES) {
      assertThat(run.versions(node, "r1")).isSorted().endsWith(3L * WRITE_COUNT);
    }
  }

  private EnsembleOptions options() {
    return EnsembleOptions.of(folder, "file=events.blocks", List.of("/")).withSkewMicros(SKEW);
  }

  private static List<Long> upTo(long last) {
    return LongStream.rangeClosed(0, last).boxed().toList();
  }

  private static List<Event> multisOf(RecordedRun run) {
    return run.of("setd").stream()
        .filter(event -> ((StateChange) event.body()).changes().size() == 2)
        .toList();
  }

  /** Waits until the server has applied all earlier writes, by a read through its own log. */
  private static void sync(EnsembleServer server) {
    try (Session session = new Session(server.address())) {
      session.client.sync("/", (code, path, context) -> {}, null);
      session.client.exists("/r1", false);
    } catch (Exception e) {
      throw new AssertionError("cannot sync " + server.node(), e);
    }
  }

  private static final class Session implements AutoCloseable {
    private final ZooKeeper client;

    Session(String connectString) throws Exception {
      client = WriteWorkload.connect(connectString);
    }

    void create(String path) throws Exception {
      client.create(path, DATA, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
    }

    void write(String path, int count) throws Exception {
      for (int i = 0; i < count; i++) {
        client.setData(path, DATA, -1);
      }
    }

    /** Two more versions of r1, one of them while another znode is created. */
    void multi() throws Exception {
      client.multi(
          List.of(
              Op.setData("/r1", DATA, -1),
              Op.create("/r2", DATA, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT)));
      client.setData("/r1", DATA, -1);
    }

    @Override
    public void close() {
      try {
        client.close();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
