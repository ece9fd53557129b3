// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.event.Value.LongValue;
import io.retroscope.event.Value.StructValue;
import io.retroscope.rql.json.JsonValues;
import java.io.ByteArrayOutputStream;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A test of three servers with the smallest heap of the page on operating, of which two are killed:
 * the last one inherits all partitions. A server that runs out of memory ends.
 */
@Timeout(3_600)
@Tag("slow")
class ClusterHeapTest {
  private static final int HEAP_MEGABYTES = Integer.getInteger("retroscope.heap", 256);
  private static final int VERSIONS = Integer.getInteger("retroscope.versions", 8_000);
  private static final int NODES = 12;
  private static final int FRAMES_PER_REQUEST = 200;
  private static final Duration PATIENCE = Duration.ofMinutes(10);
  private static final String QUESTION =
      "SELECT r1, SPREAD(r1) AS s FROM setd WHEN SPREAD(r1) >= 5 EMIT EDGES";

  private final long seed = Long.getLong("retroscope.seed", 20261128);
  @TempDir Path folder;

  @Test
  void lastOfThreeServers_inheritsAllPartitions_andAnswers() throws Exception {
    Map<String, List<byte[]>> frames = ClusterFixture.staleness(seed, NODES, VERSIONS);
    try (ClusterChildren cluster = new ClusterChildren(folder, "heap", HEAP_MEGABYTES)) {
      int first = cluster.start();
      int second = cluster.start();
      int last = cluster.start();
      cluster.awaitPlaced(PATIENCE);
      send(cluster, frames);
      String expected = rows(cluster, last);
      assertThat(expected).contains("\"edge\":\"rise\"");
      long events = eventCount(cluster, last);

      cluster.kill(first);
      cluster.kill(second);
      cluster.awaitPlaced(PATIENCE);
      assertAnswers(cluster, last, events, expected);

      cluster.kill(last);
      int restored = cluster.start();
      cluster.awaitPlaced(PATIENCE);
      assertAnswers(cluster, restored, events, expected);
    }
  }

  private static void assertAnswers(
      ClusterChildren cluster, int server, long events, String expected) throws Exception {
    assertThat(eventCount(cluster, server)).isEqualTo(events);
    assertThat(rows(cluster, server)).isEqualTo(expected);
    assertThat(cluster.isAlive(server)).isTrue();
  }

  private static void send(ClusterChildren cluster, Map<String, List<byte[]>> frames) {
    for (List<byte[]> own : frames.values()) {
      for (int from = 0; from < own.size(); from += FRAMES_PER_REQUEST) {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        own.subList(from, Math.min(own.size(), from + FRAMES_PER_REQUEST))
            .forEach(body::writeBytes);
        for (int turn = 0; !cluster.send(turn % 3, body.toByteArray()); turn++) {
          assertThat(turn).as("requests of the same events").isLessThan(60);
        }
      }
    }
  }

  private static String rows(ClusterChildren cluster, int server) throws Exception {
    HttpResponse<String> reply = cluster.ask(server, QUESTION);
    assertThat(reply.body()).doesNotContain("{\"problem\"");
    return String.join(
        "\n", reply.body().lines().filter(line -> line.startsWith("{\"hlc\"")).toList());
  }

  private static long eventCount(ClusterChildren cluster, int server) throws Exception {
    HttpResponse<String> reply = cluster.ask(server, "SHOW NODES");
    List<StructValue> nodes =
        reply
            .body()
            .lines()
            .filter(line -> line.startsWith("{\"node\""))
            .map(line -> (StructValue) JsonValues.parse(line))
            .toList();
    assertThat(nodes).as(reply.body()).hasSize(NODES);
    return nodes.stream()
        .mapToLong(node -> ((LongValue) node.fields().get("events")).value())
        .sum();
  }
}
