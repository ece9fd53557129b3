// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ZookeeperEnsembleTest {
  private static final byte[] DATA = {1};
  private static final long SEED = 20261121;

  @TempDir Path folder;

  @Test
  @Tag("slow")
  void start_threeServers_serveClientsAndEndWithClose() throws Exception {
    ZookeeperEnsemble ensemble = ZookeeperEnsemble.start(options().withSlowNode("zk1"));
    List<Long> pids =
        ensemble.servers().stream().map(server -> server.pid().orElseThrow()).toList();
    try (ensemble) {
      assertThat(ensemble.leader()).isPresent();
      assertThat(writeAndCount(ensemble.connectString())).isEqualTo(10);
    }
    assertThat(pids).noneMatch(ZookeeperEnsembleTest::isAlive);
  }

  @Test
  @Tag("slow")
  void start_serverWithoutAgent_joinsTheTracedOnes() throws Exception {
    try (ZookeeperEnsemble ensemble =
        ZookeeperEnsemble.start(options().withoutAgentAt(Set.of("zk2")))) {
      assertThat(writeAndCount(ensemble.server("zk2").address())).isEqualTo(10);
      ensemble.server("zk1").kill();
      ensemble.server("zk1").start();
      ensemble.server("zk1").awaitServing(Duration.ofSeconds(30));
      assertThat(version(ensemble.server("zk1").address())).isEqualTo(10);
    }
  }

  @Test
  void member_parentGone_ends() throws Exception {
    EnsembleLayout layout = EnsembleLayout.choose(options(), new Random(SEED));
    Path memberFolder = layout.writeFolder("zk1");
    Process process =
        new ProcessBuilder(layout.command("zk1", Installation.locate()))
            .directory(memberFolder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(memberFolder.resolve("server.out").toFile())
            .start();
    try {
      assertThat(process.waitFor(2, TimeUnit.SECONDS)).as("ended by itself").isFalse();
      // The end of a parent, for any reason, closes the pipe.
      process.getOutputStream().close();
      assertThat(process.waitFor(60, TimeUnit.SECONDS)).as("ended with its parent").isTrue();
    } finally {
      process.destroyForcibly();
    }
  }

  private EnsembleOptions options() {
    return EnsembleOptions.of(folder, "file=events.blocks", List.of("/"));
  }

  private static int writeAndCount(String connectString) throws Exception {
    ZooKeeper client = WriteWorkload.connect(connectString);
    try {
      client.create("/r1", DATA, Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
      for (int version = 0; version < 10; version++) {
        client.setData("/r1", DATA, version);
      }
      return client.exists("/r1", false).getVersion();
    } finally {
      client.close();
    }
  }

  private static int version(String connectString) throws Exception {
    ZooKeeper client = WriteWorkload.connect(connectString);
    try {
      return client.exists("/r1", false).getVersion();
    } finally {
      client.close();
    }
  }

  private static boolean isAlive(long pid) {
    return ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false);
  }
}
