// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.PhysicalClock;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests that live queries include other nodes' events if a node whose clock is 55 s ahead comes
 * first.
 */
@Timeout(120)
class FastClockStreamTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final int EVENTS = 21;
  private static final Pattern GOOD = Pattern.compile("\"good\":(\\d+)");
  private static final Pattern HELD = Pattern.compile("\"heldMicros\":(\\d+)");

  /** The time within which a tick of the watermark happens, however busy the machine is. */
  private static final int TICK_MILLIS = 30;

  @TempDir Path directory;

  /** Advanced manually, because a pause of the machine would make the good node's rows late. */
  private final AtomicLong micros = new AtomicLong(PhysicalClock.system().micros());

  @Test
  void stream_aFastNodeFirst_hasAllEventsOfTheOthers() throws Exception {
    try (LogServer server = LogServer.start(config())) {
      HttpProbe http = new HttpProbe(server.uri());
      send(http, "fast", 0);
      TimeUnit.MILLISECONDS.sleep(50);
      BufferedReader stream =
          new BufferedReader(
              new InputStreamReader(
                  http.stream("SELECT STREAM x FROM app", ""), StandardCharsets.UTF_8));
      List<String> held = new ArrayList<>();
      CompletableFuture<List<Integer>> seen =
          CompletableFuture.supplyAsync(() -> read(stream, held));
      for (int i = 1; i <= EVENTS; i++) {
        send(http, "fast", i);
        send(http, "good", i);
        TimeUnit.MILLISECONDS.sleep(TICK_MILLIS);
        // Occasionally by more than the idle timeout.
        micros.addAndGet(i % 10 == 0 ? 1_300_000 : 30_000);
        TimeUnit.MILLISECONDS.sleep(TICK_MILLIS);
      }
      micros.addAndGet(5_000_000);
      assertThat(seen.get(60, TimeUnit.SECONDS)).hasSize(EVENTS);
      stream.close();
      assertThat(held).anyMatch(micros -> Long.parseLong(micros) > 0);
      assertThat(http.get("/v1/nodes").body()).contains("\"aheadMicros\":5");
      assertThat(http.get("/metrics").body()).contains("watermark_held_seconds");
      Awaitility.await()
          .atMost(PATIENCE)
          .until(
              () -> {
                send(http, "fast", 0);
                return http.query("SHOW NODES;").body();
              },
              FastClockStreamTest::isHeldByFast);
    }
  }

  private ServerConfig config() {
    return ServerConfig.in(directory)
        .port(0)
        .clock(micros::get)
        .monotonicClock(() -> TimeUnit.MICROSECONDS.toNanos(micros.get()))
        .build();
  }

  private static boolean isHeldByFast(String nodes) {
    return nodes.lines().anyMatch(row -> row.contains("\"fast\"") && HELD.matcher(row).find());
  }

  private void send(HttpProbe http, String node, int x) throws Exception {
    long ahead = node.equals("fast") ? TimeUnit.SECONDS.toMicros(55) : 0;
    String line =
        "{\"node\":\"%s\",\"log\":\"app\",\"hlc\":\"%d.0\",\"set\":{\"x\":%d}}\n"
            .formatted(node, micros.incrementAndGet() + ahead, x);
    assertThat(http.events(line).status()).isEqualTo(200);
  }

  private static List<Integer> read(BufferedReader in, List<String> held) {
    List<Integer> seen = new ArrayList<>();
    try {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        Matcher good = GOOD.matcher(line);
        if (good.find() && !seen.contains(Integer.valueOf(good.group(1)))) {
          seen.add(Integer.valueOf(good.group(1)));
        }
        Matcher progress = HELD.matcher(line);
        if (progress.find()) {
          held.add(progress.group(1));
        }
        if (seen.contains(EVENTS)) {
          return seen;
        }
      }
    } catch (IOException e) {
      throw new CompletionException(e);
    }
    return seen;
  }
}
