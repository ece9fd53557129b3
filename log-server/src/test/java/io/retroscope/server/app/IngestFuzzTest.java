// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBlockCodec;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests with random input to the ingest endpoints: clear refusals, no stack trace, no hang, nothing
 * stored.
 */
@Timeout(600)
class IngestFuzzTest {
  private static final String LINE =
      "{\"node\":\"fuzz\",\"log\":\"l\",\"hlc\":\"1795200000000000.3\",\"seq\":1,\"set\":{\"x\":1}}\n";

  @TempDir Path directory;

  @RegisterExtension
  final ServerExtension server = new ServerExtension(() -> ServerConfig.in(directory));

  private final HttpProbe http = new HttpProbe(server);

  @BeforeEach
  void sendGoodEvent() throws Exception {
    http.events("{\"node\":\"good\",\"log\":\"l\",\"hlc\":1,\"set\":{\"x\":1}}");
  }

  @Test
  void post_garbage_isRefusedClearly() throws Exception {
    fuzz(400);
  }

  @Test
  @Tag("slow")
  void postOften_garbage_isRefusedClearly() throws Exception {
    fuzz(20_000);
  }

  private void fuzz(int rounds) throws Exception {
    long seed = Long.getLong("retroscope.seed", 20261121);
    Random random = new Random(seed);
    byte[] block = EventBlockCodec.encode(EventBlock.heartbeat("fuzz", "i", 0, 5, 0));
    byte[] line = LINE.getBytes(StandardCharsets.UTF_8);
    for (int round = 0; round < rounds; round++) {
      boolean blocks = random.nextBoolean();
      byte[] body = damage(random, random.nextInt(4) == 0 ? new byte[40] : blocks ? block : line);
      boolean packed = random.nextInt(4) == 0;
      String path = random.nextInt(4) == 0 ? "/v1/query" : "/v1/events";
      HttpProbe.Reply reply =
          http.post(
              path,
              blocks ? EventBlockCodec.CONTENT_TYPE : HttpProbe.NDJSON,
              packed ? "gzip" : "",
              packed && random.nextBoolean() ? HttpProbe.gzip(body) : body);
      String what = "seed " + seed + ", round " + round + ": " + reply;
      assertThat(reply.status()).as(what).isBetween(400, 499);
      assertThat(reply.contentType()).as(what).startsWith("application/problem+json");
      assertThat(reply.body()).as(what).doesNotContain("Exception", "\\tat ", "java.");
    }
    assertThat(http.get("/v1/nodes").body()).contains("\"good\"").doesNotContain("fuzz");
    assertThat(http.get("/v1/logs").body()).contains("\"events\":1,");
  }

  /** A damaged copy, which always differs: a byte in its middle is changed to an invalid one. */
  private static byte[] damage(Random random, byte[] original) {
    byte[] damaged = original.clone();
    for (int i = 0; i < 1 + random.nextInt(5); i++) {
      damaged[random.nextInt(damaged.length)] = (byte) random.nextInt(256);
    }
    damaged[0] = (byte) (0x80 | random.nextInt(128));
    return damaged;
  }
}
