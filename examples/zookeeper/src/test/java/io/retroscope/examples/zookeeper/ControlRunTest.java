// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.retroscope.event.EventBody.StateChange;
import io.retroscope.examples.stage.Check;
import io.retroscope.examples.stage.DemoServer;
import io.retroscope.examples.stage.LiveMatches;
import io.retroscope.examples.stage.Match;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A control run: without a slow link, and each write waits until all servers have applied the one
 * before it. Then no two replicas are two versions apart, on a busy machine neither.
 */
@Tag("slow")
final class ControlRunTest {
  private static final int WRITE_COUNT = 100;
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @TempDir Path folder;

  @Test
  void question_writesAwaitedByAllServers_hasNoRow() throws Exception {
    try (DemoServer server = DemoServer.start(folder.resolve("store"), 0, Optional.empty());
        ZookeeperEnsemble ensemble =
            ZookeeperEnsemble.start(
                EnsembleOptions.of(
                    folder.resolve("zookeeper"), "server=" + server.uri(), List.of("/")));
        LiveMatches live =
            LiveMatches.follow(server.uri(), ZookeeperDemo.QUESTION, row -> {}, PATIENCE)) {
      write(ensemble);
      int appliedCount = EnsembleOptions.NODES.size() * (WRITE_COUNT + 1);
      await().atMost(PATIENCE).until(() -> appliedCount(server) == appliedCount);
      long last =
          server.run("SELECT r1 FROM setd;").stream().mapToLong(Match::hlc).max().orElseThrow();

      assertThat(live.awaitReached(last, PATIENCE)).isTrue();
      assertThat(live.matches()).isEmpty();
      assertThat(server.run(ZookeeperDemo.QUESTION.replace("SELECT STREAM", "SELECT"))).isEmpty();
      assertThat(server.run("SELECT r1 FROM setd WHEN SPREAD(r1) = 1;"))
          .as("one version apart, while a write is on its way")
          .isNotEmpty();
      Check oracle = ProposalOracle.check(server);
      assertThat(oracle.holds()).as(oracle.statement()).isTrue();
    }
  }

  private static void write(ZookeeperEnsemble ensemble) throws Exception {
    List<ZooKeeper> clients = new ArrayList<>();
    try {
      for (EnsembleServer server : ensemble.servers()) {
        clients.add(WriteWorkload.connect(server.address()));
      }
      clients.get(0).create("/r1", new byte[0], Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
      for (int version = 1; version <= WRITE_COUNT; version++) {
        clients.get(0).setData("/r1", new byte[0], -1);
        for (ZooKeeper client : clients) {
          client.sync("/r1", (code, path, context) -> {}, null);
          assertThat(client.exists("/r1", false).getVersion()).isEqualTo(version);
        }
      }
    } finally {
      for (ZooKeeper client : clients) {
        client.close();
      }
    }
  }

  /** How often a server applied a version, as far as the log server has heard. */
  private static long appliedCount(DemoServer server) {
    return server.events("setd").stream()
        .filter(
            event ->
                event.body() instanceof StateChange state
                    && state.changes().stream().anyMatch(change -> change.variable().equals("r1")))
        .count();
  }
}
