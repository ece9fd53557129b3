// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.app;

import java.util.List;
import java.util.Random;

/**
 * A recording for tests of the console: three replicas that fall behind one another, messages
 * between them, log lines, and names that a page could take for markup.
 */
final class ConsoleTraffic {
  static final List<String> NODES = List.of("replica-1", "replica-2", "replica-3");

  /** Names and texts that a page could take for markup, or for a direction of writing. */
  static final List<String> HOSTILE =
      List.of(
          "<script>document.title='taken'</script>",
          "<img src=x onerror=\"document.title='taken'\">",
          "\"quoted\" & 'single' ${1+1}",
          "\u202Ereversed \u2066 isolated");

  private final StringBuilder lines = new StringBuilder();
  private final Random random;
  private final long[] versions = new long[NODES.size()];
  private long micros;

  private ConsoleTraffic(long start, long seed) {
    micros = start;
    random = new Random(seed);
  }

  /**
   * Events as lines of JSON.
   *
   * @param start microseconds of the first one
   * @param writes of a version at the first replica, 5 ms apart; 7 events each
   */
  static String of(long start, int writes, long seed) {
    ConsoleTraffic traffic = new ConsoleTraffic(start, seed);
    for (int i = 0; i < writes; i++) {
      traffic.write(i);
    }
    traffic.hostile();
    return traffic.lines.toString();
  }

  private void write(int number) {
    versions[0]++;
    event(0, "store", "\"set\":{\"version\":" + versions[0] + ",\"leader\":" + (number > 2) + "}");
    for (int replica = 1; replica < NODES.size(); replica++) {
      boolean isSlow = replica == 2 && number % 40 > 25;
      if (isSlow) {
        continue;
      }
      String id = "m" + number + "-" + replica;
      event(0, "net", "\"send\":{\"to\":\"" + NODES.get(replica) + "\",\"id\":\"" + id + "\"}");
      event(
          replica, "net", "\"receive\":{\"from\":\"" + NODES.get(0) + "\",\"id\":\"" + id + "\"}");
      versions[replica] = versions[0];
      event(replica, "store", "\"set\":{\"version\":" + versions[replica] + "}");
    }
    if (number % 10 == 0) {
      event(1, "app", "\"message\":\"applied " + number + "\",\"fields\":{\"level\":\"INFO\"}");
    }
    micros += 3_000 + random.nextInt(1_000);
  }

  private void hostile() {
    for (String text : HOSTILE) {
      String quoted = text.replace("\\", "\\\\").replace("\"", "\\\"");
      event(1, "app", "\"message\":\"" + quoted + "\"");
      event(1, "store", "\"set\":{\"" + quoted + "\":\"" + quoted + "\"}");
    }
  }

  private void event(int node, String log, String body) {
    micros += 100 + random.nextInt(100);
    lines.append(
        "{\"node\":\"%s\",\"log\":\"%s\",\"hlc\":\"%d.0\",\"pt\":%d,%s}%n"
            .formatted(NODES.get(node), log, micros, micros - 100L * node, body));
  }
}
