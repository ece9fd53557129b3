// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Checks that servers of every supported version of ZooKeeper are traced. */
final class ZookeeperVersionsTest {
  private static final byte[] DATA = {1};
  private static final int WRITE_COUNT = 50;
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final String NEWEST = "3.9.5";

  @TempDir Path folder;

  @Test
  @Tag("slow")
  void ensemble_oldestVersion_isTracedAtAllServers() throws Exception {
    check("3.6.4", "3.6.4", "3.6.4");
  }

  @Tag("slow")
  @ParameterizedTest
  @ValueSource(strings = {"3.7.2", "3.8.4", "3.9.2", NEWEST})
  void ensemble_oneVersion_isTracedAtAllServers(String version) throws Exception {
    check(version, version, version);
  }

  @Tag("slow")
  @Test
  void ensemble_higherIdsAreNewer_isTracedAtAllServers() throws Exception {
    check("3.6.4", "3.8.4", NEWEST);
  }

  @Tag("slow")
  @Test
  void ensemble_higherIdsAreOlder_isTracedAtAllServers() throws Exception {
    check(NEWEST, "3.9.2", "3.7.2");
  }

  private void check(String zk1, String zk2, String zk3) throws Exception {
    Map<String, Path> jars = new HashMap<>();
    put(jars, "zk1", zk1);
    put(jars, "zk2", zk2);
    put(jars, "zk3", zk3);
    long lastVersion = run(jars);

    RecordedRun run = RecordedRun.read(folder);
    assertThat(run.caveats()).isEmpty();
    assertThat(run.checkAppliesAgainstProposals())
        .containsOnlyKeys("zk1", "zk2", "zk3")
        .allSatisfy((node, count) -> assertThat(count).isGreaterThan(WRITE_COUNT));
    assertThat(run.checkReceivesAgainstSends()).containsExactly("zk1", "zk2", "zk3");
    List<Long> all = LongStream.rangeClosed(0, lastVersion).boxed().toList();
    assertThat(run.versions("zk2", "r1")).isEqualTo(all);
    assertThat(run.versions("zk3", "r1")).isEqualTo(all);
    assertThat(run.versions("zk1", "r1"))
        .isSorted()
        .containsAll(all.stream().filter(v -> v <= WRITE_COUNT || v >= 2 * WRITE_COUNT).toList());
    checkFirstStates(run.firstStates("zk1"));
    System.out.printf(
        "%s: %d versions of r1 at zk2 and zk3; zk1 began again with %s; applies checked: %s%n",
        List.of(zk1, zk2, zk3),
        all.size(),
        run.firstStates("zk1").get(1),
        run.checkAppliesAgainstProposals());
  }

  /**
   * Checks that the restarted server records its whole state. Up to 3.9.2 it starts to serve before
   * it applies the transactions that it missed.
   */
  private static void checkFirstStates(List<Map<String, Long>> first) {
    assertThat(first).hasSize(2);
    assertThat(first.get(1)).containsOnlyKeys("r1", "r2").containsEntry("r2", 0L);
    assertThat(first.get(1).get("r1")).isBetween((long) WRITE_COUNT, 2L * WRITE_COUNT);
  }

  /** Writes, restarts a follower meanwhile, and returns the last version of {@code /r1}. */
  private long run(Map<String, Path> versions) throws Exception {
    EnsembleOptions current = EnsembleOptions.of(folder, "file=events.blocks", List.of("/"));
    EnsembleOptions options =
        new EnsembleOptions(
            current.folder(),
            current.sink(),
            current.traced(),
            current.slowNode(),
            current.agentless(),
            current.skewMicros(),
            current.jvmArgs(),
            versions);
    try (ZookeeperEnsemble ensemble = ZookeeperEnsemble.start(options)) {
      assertThat(ensemble.leader().orElseThrow().node()).isNotEqualTo("zk1");
      ZooKeeper client = WriteWorkload.connect(ensemble.connectStringWithout("zk1"));
      try {
        create(client, "/r1");
        create(client, "/r2");
        write(client);
        EnsembleServer restarted = ensemble.server("zk1");
        awaitRecorded(restarted, WRITE_COUNT);
        restarted.stop();
        write(client);
        restarted.start();
        restarted.awaitServing(PATIENCE);
        write(client);
        client.multi(List.of(Op.setData("/r1", DATA, -1), Op.delete("/r2", -1)));
        long last = client.exists("/r1", false).getVersion();
        for (EnsembleServer server : ensemble.servers()) {
          awaitRecorded(server, last);
        }
        return last;
      } finally {
        client.close();
      }
    }
  }

  private static void create(ZooKeeper client, String path) throws Exception {
    client.create(path, DATA, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
  }

  private static void write(ZooKeeper client) throws Exception {
    for (int i = 0; i < WRITE_COUNT; i++) {
      client.setData("/r1", DATA, -1);
    }
  }

  /** Waits until a version is in a server's file, so that its end loses nothing. */
  private void awaitRecorded(EnsembleServer server, long version) {
    await()
        .atMost(PATIENCE)
        .ignoreExceptions() // The file may end in the middle of a block.
        .untilAsserted(
            () ->
                assertThat(RecordedRun.read(folder).versions(server.node(), "r1"))
                    .contains(version));
  }

  private static void put(Map<String, Path> folders, String node, String version) throws Exception {
    if (!version.equals(NEWEST)) {
      Path jars = Installation.locate().zookeeperLib().resolveSibling("zookeeper-" + version);
      assertThat(Files.isDirectory(jars)).as("%s, which the build fetches", jars).isTrue();
      folders.put(node, jars);
    }
  }
}
