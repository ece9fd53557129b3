// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.cluster;

import io.retroscope.broker.KafkaBroker;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests of live queries at three servers that share a topic, against those of a single server. */
@Timeout(300)
class ClusterLiveTest {
  private final long seed = Long.getLong("retroscope.seed", 20261128);
  @TempDir Path folder;

  /** The server that is asked stops in the middle: the stream continues at another one. */
  @Tag("slow")
  @Test
  void stream_resumedAtAnotherServer_hasTheRowsOfASingleServer() throws Exception {
    LiveFrames frames = new LiveFrames(seed, 7, 400);
    int part = frames.turns().size() / 3;
    try (KafkaBroker broker = KafkaBroker.start(folder.resolve("broker"));
        ClusterFixture cluster = new ClusterFixture(broker, "live", folder)) {
      cluster.start(1);
      cluster.start(2);
      cluster.start(3);
      cluster.awaitPlacement();
      List<URI> all =
          List.of(cluster.server(1).uri(), cluster.server(2).uri(), cluster.server(3).uri());
      // A place is comparable with what another server knows if that one ran for long enough.
      Thread.sleep(ArrivalTimes.MARGIN_MILLIS);
      try (LiveComparison live =
          new LiveComparison("seed " + seed, folder.resolve("single"), frames, all)) {
        send(frames.turns().subList(0, part), live, all);
        live.awaitSameRows();
        cluster.stop(1);
        List<URI> rest = all.subList(1, 3);
        live.resume(rest.get(0));
        send(frames.turns().subList(part, 2 * part), live, rest);
        live.awaitSameRows();
        cluster.stop(3);
        send(frames.turns().subList(2 * part, frames.turns().size()), live, rest.subList(0, 1));
        live.awaitWatermark(frames.endHlc(), rest.get(0));
        live.awaitSameRows();
        live.assertNothingElse();
      }
    }
  }

  private static void send(List<List<byte[]>> turns, LiveComparison live, List<URI> servers)
      throws Exception {
    for (List<byte[]> turn : turns) {
      live.send(turn, servers);
    }
  }
}
