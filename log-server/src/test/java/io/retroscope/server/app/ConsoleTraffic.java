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

  private static final int MICROS_PER_WRITE = 20_000;

  private final StringBuilder lines = new StringBuilder();
  private final Random random;
  private final long[] versions = new long[NODES.size()];
  private long micros;
  private int number;
  private int slow;
  private int slowFor;

  /**
   * Creates a recording without events.
   *
   * @param start microseconds of the first event
   */
  ConsoleTraffic(long start, long seed) {
    micros = start;
    random = new Random(seed);
  }

  /** Returns the next events as lines of JSON: those of one write at the first replica. */
  String write() {
    write(number++);
    return taken();
  }

  /** Returns the next events as lines of JSON: those of some writes, about 25 ms apart. */
  String writes(int count) {
    for (int i = 0; i < count; i++) {
      write(number++);
    }
    return taken();
  }

  /** Returns events with hostile names and texts as lines of JSON. */
  String hostileLines() {
    hostile();
    return taken();
  }

  /** Returns the ends of all nodes as lines of JSON: they are not silent afterwards. */
  String stopLines() {
    for (String node : NODES) {
      lines.append("{\"node\":\"%s\",\"hlc\":\"%d.0\",\"stop\":true}%n".formatted(node, ++micros));
    }
    return taken();
  }

  /** The stamp of the last event, in microseconds. */
  long micros() {
    return micros;
  }

  private String taken() {
    String text = lines.toString();
    lines.setLength(0);
    return text;
  }

  private void write(int number) {
    versions[0]++;
    event(0, "store", "\"set\":{\"version\":" + versions[0] + ",\"leader\":" + (number > 2) + "}");
    if (slowFor == 0 && random.nextInt(30) == 0) {
      slowFor = 4 + random.nextInt(9);
      slow = 1 + random.nextInt(2);
    }
    for (int replica = 1; replica < NODES.size(); replica++) {
      if (slowFor == 0 || replica != slow) {
        replicate(number, replica);
      }
    }
    slowFor = Math.max(0, slowFor - 1);
    if (number % 10 == 0) {
      event(1, "app", "\"message\":\"applied " + number + "\",\"fields\":{\"level\":\"INFO\"}");
    }
    micros += MICROS_PER_WRITE - 3_000 + random.nextInt(6_000);
  }

  private void replicate(int number, int replica) {
    message(0, replica, "m" + number + "-" + replica);
    versions[replica] = versions[0];
    event(replica, "store", "\"set\":{\"version\":" + versions[replica] + "}");
    message(replica, 0, "a" + number + "-" + replica);
  }

  private void message(int from, int to, String id) {
    String send = "\"send\":{\"to\":\"%s\",\"id\":\"%s\"}".formatted(NODES.get(to), id);
    String receive = "\"receive\":{\"from\":\"%s\",\"id\":\"%s\"}".formatted(NODES.get(from), id);
    event(from, "net", send);
    micros += 300 + random.nextInt(900);
    event(to, "net", receive);
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
