// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.infinispan;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.PhysicalClock;
import io.retroscope.examples.stage.Check;
import io.retroscope.examples.stage.DemoServer;
import io.retroscope.examples.stage.History;
import io.retroscope.recorder.Recorder;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The oracle, over records of replicas in this virtual machine, with and without the hook. */
final class ReplicaOracleTest {
  private static final long BEHIND_MICROS = -40_000;

  @TempDir Path folder;

  private DemoServer server;
  private Recorder writer;
  private Recorder replica;

  @BeforeEach
  void open() throws Exception {
    server = DemoServer.start(folder, 0, Optional.empty());
    writer = recorder("i1", 0);
    replica = recorder("i3", BEHIND_MICROS);
  }

  private Recorder recorder(String node, long skewMicros) {
    return Recorder.builder()
        .node(node)
        .server(server.uri())
        .physicalClock(PhysicalClock.system().skewedBy(skewMicros))
        .closeTimeout(Duration.ofMinutes(2))
        .build();
  }

  @AfterEach
  void close() {
    writer.close();
    replica.close();
    server.close();
  }

  @Test
  void checks_stampsCarried_hold() throws Exception {
    for (long version = 1; version <= 3; version++) {
      long stamp = put(version);
      replica.receive("i1", stamp);
      replica.log("stock").set("r1", version);
    }
    assertThat(checks("[3]")).filteredOn(check -> !check.holds()).isEmpty();
  }

  @Test
  void checks_stampsNotCarried_findEffectsBeforeTheirCauses() throws Exception {
    for (long version = 1; version <= 3; version++) {
      put(version);
      replica.log("stock").set("r1", version);
    }
    assertThat(checks("[3]"))
        .filteredOn(check -> !check.holds())
        .extracting(Check::statement)
        .containsExactly(
            "no version was applied before it was put (3 put, 6 applied, 3 too early)");
  }

  @Test
  void checks_olderVersionApplied_findTheReplica() throws Exception {
    for (long version : List.of(1L, 3L, 2L)) {
      replica.receive("i1", put(version));
      replica.log("stock").set("r1", version);
    }
    assertThat(checks("[2]"))
        .filteredOn(check -> !check.holds())
        .extracting(Check::statement)
        .containsExactly("no replica goes back to an older version");
  }

  @Test
  void checks_otherContentRead_findTheDifference() throws Exception {
    replica.receive("i1", put(1));
    replica.log("stock").set("r1", 1);
    assertThat(checks("[2]"))
        .filteredOn(check -> !check.holds())
        .extracting(Check::statement)
        .singleElement()
        .asString()
        .startsWith("at the end all replicas hold the same");
  }

  private long put(long version) {
    writer.log("stock").set("put", version);
    writer.log("stock").set("r1", version);
    return writer.send("i3");
  }

  private List<Check> checks(String content) throws Exception {
    for (Recorder recorder : List.of(writer, replica)) {
      recorder.log("stock").set("view", "2/2");
      recorder.close();
    }
    return new ReplicaOracle(new History(server), List.of(), -BEHIND_MICROS)
        .checks(Map.of("i1", content, "i3", content), 0);
  }
}
