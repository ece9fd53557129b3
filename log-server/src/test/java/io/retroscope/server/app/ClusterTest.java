// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.PhysicalClock;
import io.retroscope.event.EventBlockCodec;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.engine.QueryEngine;
import io.retroscope.rql.evaluation.QueryLimits;
import io.retroscope.server.store.EventStore;
import io.retroscope.server.store.Receipt;
import io.retroscope.server.store.StoreOptions;
import io.retroscope.server.store.Submission;
import io.retroscope.server.store.Submission.EncodedFrame;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests of servers that share a topic. */
@Timeout(180)
class ClusterTest {
  private static final List<String> QUESTIONS =
      List.of(
          "SELECT r1, SPREAD(r1) AS s FROM setd WHEN EXISTS a, b IN r1 : (a - b >= 2)",
          "SELECT r1, SPREAD(r1) AS s FROM setd WHEN SPREAD(r1) >= 3 EMIT EDGES",
          "SELECT COUNT(r1) AS c FROM setd WHEN SPREAD(r1) >= 3 EMIT INTERVALS",
          "SHOW NODES",
          "SHOW LOGS",
          "DESCRIBE setd");

  private final long seed = Long.getLong("retroscope.seed", 20261128);
  @TempDir Path folder;

  /** A store of all events, as one process has it. */
  private QueryEngine embedded(EventStore store) {
    return new QueryEngine(() -> store.open(ClockOffsets.UNKNOWN), QueryLimits.DEFAULT);
  }

  private static void store(Map<String, List<byte[]>> frames, EventStore store) throws Exception {
    List<EncodedFrame> encoded = new ArrayList<>();
    for (List<byte[]> own : frames.values()) {
      for (byte[] frame : own) {
        encoded.add(new EncodedFrame(EventBlockCodec.decodeBlock(frame), frame));
      }
    }
    Receipt unused = store.append(new Submission.Frames(encoded)).join();
  }

  private static QueryEngine engine(ClusterServer server) {
    return new QueryEngine(server.cluster().source(), QueryLimits.DEFAULT);
  }

  @Test
  void query_anyOfThreeServers_answersAsOneStore() throws Exception {
    Map<String, List<byte[]>> frames = ClusterFixture.staleness(seed, 7, 300);
    try (EventStore store =
            EventStore.open(folder.resolve("one"), StoreOptions.DEFAULT, PhysicalClock.system());
        ClusterFixture cluster = new ClusterFixture(folder)) {
      store(frames, store);
      cluster.start(1);
      cluster.start(2);
      cluster.start(3);
      cluster.awaitPlacement();
      cluster.send(frames);
      QueryEngine embedded = embedded(store);
      for (String question : QUESTIONS) {
        List<String> expected = ClusterFixture.answer(embedded, question);
        assertThat(expected).hasSizeGreaterThan(1);
        for (int server = 1; server <= 3; server++) {
          assertThat(ClusterFixture.answer(engine(cluster.server(server)), question))
              .as("seed %d, server %d: %s", seed, server, question)
              .isEqualTo(expected);
        }
      }
    }
  }
}
