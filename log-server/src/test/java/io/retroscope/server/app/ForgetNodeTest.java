// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.clock.PhysicalClock;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBlockCodec;
import java.nio.file.Path;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class ForgetNodeTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  @TempDir Path directory;

  @RegisterExtension
  final ServerExtension server =
      new ServerExtension(() -> ServerConfig.in(directory).idleTimeout(Duration.ofMillis(500)));

  private final HttpProbe http = new HttpProbe(server);

  @Test
  void forget_aPodThatWasReplaced_isMissingNoMore() throws Exception {
    set("pod1", 1);
    set("pod2", 2);
    Awaitility.await()
        .atMost(PATIENCE)
        .until(() -> missing(), missing -> missing.contains("pod1") && missing.contains("pod2"));

    assertThat(http.query("FORGET NODE pod1;").body()).contains("\"pod1\"");
    Awaitility.await()
        .atMost(PATIENCE)
        .until(() -> missing(), missing -> !missing.contains("pod1"));
    assertThat(http.query("SHOW NODES;").body()).contains("\"pod2\"").doesNotContain("\"pod1\"");
    assertThat(http.get("/v1/nodes").body()).doesNotContain("\"pod1\"");
    assertThat(http.query("SELECT x@pod1 FROM app;").body()).contains("1");
    long now = PhysicalClock.system().micros();
    assertThat(http.query("SELECT COUNT(x) AS n FROM app ON TIME hlc'" + now + ".0';").body())
        .contains("\"n\":1");
    assertThat(http.query("FORGET NODE nowhere;").body()).contains("RQL0202");

    server.restart();
    assertThat(http.query("SHOW NODES;").body()).doesNotContain("\"pod1\"");
    assertThat(missing()).doesNotContain("pod1");
  }

  @Test
  void forget_aNodeWithinItsPromise_isRefused() throws Exception {
    EventBlock block =
        EventBlock.heartbeat(
            "pod", "i", 0, HlcTimestamp.pack(PhysicalClock.system().micros()), 0, 60_000_000);
    assertThat(http.blocks(EventBlockCodec.encode(block)).status()).isEqualTo(200);
    assertThat(http.query("FORGET NODE pod;").body()).contains("RQL0312").contains("is active");
  }

  private String missing() throws Exception {
    String nodes = http.get("/v1/nodes").body();
    return nodes.substring(nodes.indexOf("\"missing\""));
  }

  private void set(String node, int x) throws Exception {
    String hlc = HlcTimestamp.text(HlcTimestamp.pack(PhysicalClock.system().micros()));
    String line =
        "{\"node\":\"%s\",\"log\":\"app\",\"hlc\":\"%s\",\"set\":{\"x\":%d}}\n"
            .formatted(node, hlc, x);
    assertThat(http.events(line).status()).isEqualTo(200);
  }
}
