// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.retroscope.server.app.Hook;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests of alerts at servers in processes of their own, of which those that evaluate fail. */
@Timeout(600)
class ClusterAlertsTest {
  /** Its episodes are of stamps long ago, and whether they are summarized depends on the steps. */
  private static final String ALERT =
      "CREATE ALERT far WITH (summarize=100000h) AS (NEVER SPREAD(r1) >= 3 FROM setd)";

  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private final long seed = Long.getLong("retroscope.seed", 20261128);
  @TempDir Path folder;

  /** One is killed, and the next one stands still until another has taken over. */
  @Tag("slow")
  @Test
  void alert_whoseServersFail_hasTheEpisodesOfASingleServer() throws Exception {
    LiveFrames frames = new LiveFrames(seed, 7, 400);
    int part = frames.turns().size() / 4;
    try (Hook hook = new Hook()) {
      Files.writeString(
          folder.resolve(ClusterChildren.RECEIVERS), "ops webhook " + hook.url() + "\n");
      try (ClusterChildren cluster = new ClusterChildren(folder, "alerts")) {
        for (int i = 0; i < 3; i++) {
          cluster.start();
        }
        cluster.awaitPlaced(PATIENCE);
        int first = evaluating(cluster);
        try (LiveComparison live =
            new LiveComparison("seed " + seed, folder.resolve("single"), frames, uris(cluster))) {
          live.createAlert(ALERT, cluster.uri(first));
          send(frames.turns().subList(0, part), live, cluster);
          cluster.kill(first);
          int second = evaluating(cluster);
          send(frames.turns().subList(part, 2 * part), live, cluster);
          cluster.pause(second);
          int third = evaluating(cluster);
          send(frames.turns().subList(2 * part, 3 * part), live, cluster);
          cluster.resume(second);
          send(frames.turns().subList(3 * part, frames.turns().size()), live, cluster);
          live.awaitWatermark(frames.endHlc(), cluster.uri(third));
          live.awaitSameEpisodes(() -> cluster.uri(evaluating(cluster)));
        }
      }
      assertThat(hook.words())
          .as("seed %d", seed)
          .contains("far firing")
          .doesNotContain("far firing!", "far resolved!");
      assertThat(hook.believed().values()).as("seed %d", seed).isNotEmpty().doesNotContain("holds");
    }
  }

  private static void send(List<List<byte[]>> turns, LiveComparison live, ClusterChildren cluster)
      throws Exception {
    for (List<byte[]> turn : turns) {
      live.send(turn, uris(cluster));
    }
  }

  private static List<URI> uris(ClusterChildren cluster) {
    return cluster.running().stream().map(cluster::uri).toList();
  }

  /** Waits until one of the servers that run evaluates the alerts, and returns its number. */
  private static int evaluating(ClusterChildren cluster) {
    List<Integer> found = new ArrayList<>();
    await()
        .atMost(PATIENCE)
        .ignoreExceptionsInstanceOf(IOException.class)
        .until(
            () -> {
              for (int server : cluster.running()) {
                HttpRequest request =
                    HttpRequest.newBuilder(cluster.uri(server).resolve("/v1/alerts"))
                        .header("Retroscope-Forwarded", "true") // Only this one may answer.
                        .build();
                if (HttpClient.newHttpClient().send(request, BodyHandlers.discarding()).statusCode()
                    == 200) {
                  return found.add(server);
                }
              }
              return false;
            });
    return found.get(0);
  }
}
