// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBlockBuilder;
import io.retroscope.event.EventBlockCodec;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.Value;
import java.io.ByteArrayOutputStream;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests of an hour in which nodes record nothing and no live query runs. */
@Timeout(60)
class IdleHourTest {
  private static final long START = 1_795_200_000_000_000L;
  private static final long HOUR = 3_600_000_000L;
  private static final long PROMISE = 5_000_000;
  private static final List<String> NODES = List.of("a", "b", "c");

  @TempDir Path directory;

  @Test
  void liveNodes_idleHourOfPromisedHeartbeats_missesNoNode() throws Exception {
    List<String> rows = rows(PROMISE);
    assertThat(rows).hasSize(2 * NODES.size());
    assertThat(rows).noneMatch(row -> row.contains("missing"));
  }

  @Test
  void liveNodes_sameHeartbeatsWithoutAPromise_misses() throws Exception {
    assertThat(rows(0)).anyMatch(row -> row.contains("\"missing\":[\"b\",\"c\"]"));
  }

  /** The rows over the values that each node set before and after the hour. */
  private List<String> rows(long promiseMicros) throws Exception {
    try (LogServer server = LogServer.start(ServerConfig.in(directory).port(0).build())) {
      HttpProbe http = new HttpProbe(server.uri());
      ByteArrayOutputStream frames = new ByteArrayOutputStream();
      for (int node = 0; node < NODES.size(); node++) {
        frames.write(change(NODES.get(node), 1, START + node, promiseMicros));
        for (long at = PROMISE; at < HOUR; at += PROMISE) {
          long hlc = HlcTimestamp.pack(START + at + node);
          frames.write(
              EventBlockCodec.encode(
                  EventBlock.heartbeat(NODES.get(node), "i", 1, hlc, 0, promiseMicros)));
        }
        frames.write(change(NODES.get(node), 2, START + HOUR + node, promiseMicros));
      }
      assertThat(http.blocks(frames.toByteArray()).status()).isEqualTo(200);
      return http.query("SELECT x FROM l AT LIVE NODES;")
          .body()
          .lines()
          .filter(line -> line.contains("\"hlc\""))
          .toList();
    }
  }

  private static byte[] change(String node, long number, long micros, long promiseMicros) {
    EventBody body =
        new EventBody.StateChange(List.of(new Change(Operation.SET, "x", Value.of(number))));
    long hlc = HlcTimestamp.pack(micros);
    return EventBlockCodec.encode(
        new EventBlockBuilder()
            .incarnation("i", number)
            .add(new Event(node, "l", hlc, body))
            .promise(hlc, 0, promiseMicros)
            .build());
  }
}
