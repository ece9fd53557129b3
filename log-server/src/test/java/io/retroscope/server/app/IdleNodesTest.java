// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.clock.PhysicalClock;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBlockBuilder;
import io.retroscope.event.EventBlockCodec;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventBody.Spill;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A measurement of a server's CPU time for nodes that record nothing while no live query runs: each
 * has a connection and sends a heartbeat every 5 s. Prints the CPU time of the server's process.
 *
 * <p>Few nodes for a moment unless properties name more; for the figures that {@code
 * benchmarks/README.md} gives:
 *
 * <pre>mvn test -Pslow -pl log-server -am -Dtest=IdleNodesTest
 *     -Dsurefire.failIfNoSpecifiedTests=false -Dretroscope.nodes=1000 -Dretroscope.warmup=40
 *     -Dretroscope.seconds=60</pre>
 */
@Timeout(900)
class IdleNodesTest {
  private static final long HEARTBEAT_MICROS = 5_000_000;

  private final int nodes = Integer.getInteger("retroscope.nodes", 20);
  private final int warmUpSeconds = Integer.getInteger("retroscope.warmup", 0);
  private final int seconds = Integer.getInteger("retroscope.seconds", 1);
  private final PhysicalClock clock = PhysicalClock.system();
  private final ScheduledExecutorService threads = new ScheduledThreadPoolExecutor(2);

  @TempDir Path directory;

  @Test
  @Tag("slow")
  void idleNodes_costLittleAndAreAllHeardFrom() throws Exception {
    try (ServerProcess server = ServerProcess.start(directory, List.of("-Xmx512m"))) {
      HttpProbe http = new HttpProbe(server.uri());
      List<WebSocket> sockets = connect(server.uri());
      Awaitility.await()
          .atMost(Duration.ofMinutes(2))
          .until(() -> count(http, "\"state\":\"live\""), live -> live == nodes);
      TimeUnit.SECONDS.sleep(warmUpSeconds);
      Duration before = server.cpu();
      TimeUnit.SECONDS.sleep(seconds);
      Duration used = server.cpu().minus(before);
      System.out.printf(
          Locale.ROOT,
          "%d idle nodes: %.1f ms CPU per second, over %d s%n",
          nodes,
          used.toNanos() / 1e6 / seconds,
          seconds);
      assertThat(count(http, "\"state\":\"live\"")).isEqualTo(nodes);
      assertThat(sockets).noneMatch(WebSocket::isInputClosed);
    } finally {
      threads.shutdownNow();
    }
  }

  private static int count(HttpProbe http, String text) throws Exception {
    return http.get("/v1/nodes").body().split(text, -1).length - 1;
  }

  private List<WebSocket> connect(URI server) throws Exception {
    URI uri = URI.create("ws://127.0.0.1:" + server.getPort() + "/v1/events/socket");
    HttpClient client = HttpClient.newHttpClient();
    List<WebSocket> sockets = new ArrayList<>();
    for (int i = 0; i < nodes; i++) {
      String node = "idle" + i;
      WebSocket socket =
          client.newWebSocketBuilder().buildAsync(uri, new WebSocket.Listener() {}).join();
      sockets.add(socket);
      socket.sendBinary(ByteBuffer.wrap(EventBlockCodec.encode(first(node))), true).join();
      var unused =
          threads.scheduleAtFixedRate(
              () -> beat(socket, node),
              HEARTBEAT_MICROS * i / nodes,
              HEARTBEAT_MICROS,
              TimeUnit.MICROSECONDS);
    }
    return sockets;
  }

  private EventBlock first(String node) {
    long hlc = HlcTimestamp.pack(clock.micros());
    EventBody start = new EventBody.Start("i", HlcTimestamp.MIN_PACKED, "", Spill.COMPLETE);
    return new EventBlockBuilder()
        .incarnation("i", 1)
        .add(new Event(node, "", hlc, start))
        .promise(hlc, 0, HEARTBEAT_MICROS)
        .build();
  }

  private void beat(WebSocket socket, String node) {
    long hlc = HlcTimestamp.pack(clock.micros());
    EventBlock block = EventBlock.heartbeat(node, "i", 1, hlc, 0, HEARTBEAT_MICROS);
    var unused = socket.sendBinary(ByteBuffer.wrap(EventBlockCodec.encode(block)), true);
  }
}
