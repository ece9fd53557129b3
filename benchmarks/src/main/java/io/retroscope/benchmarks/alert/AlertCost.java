// SPDX-License-Identifier: Apache-2.0
package io.retroscope.benchmarks.alert;

import com.sun.management.ThreadMXBean;
import io.retroscope.recorder.EventLog;
import io.retroscope.recorder.Recorder;
import io.retroscope.server.alert.AlertOptions;
import io.retroscope.server.app.LogServer;
import io.retroscope.server.app.ServerConfig;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * A measurement of the CPU time in which a server evaluates alerts while nodes record: one rule,
 * and many rules over one variable, and over a variable each.
 */
public final class AlertCost {
  private static final int NODES = 3;
  private static final int VALUES = 50;
  private static final int WARM_UP_SECONDS = 3;

  /** The predicates of rules, in which v is the variable and k a number that differs. */
  private static final List<String> RULES =
      List.of(
          "NEVER SPREAD(v) > k FROM t",
          "SELECT v FROM t WHEN SPREAD(v) > k NOT THEN SPREAD(v) < 3 WITHIN 20ms",
          "SELECT n FROM t FOR EACH NODE n WHEN v@n > k",
          "SELECT v FROM t WHEN SPREAD(v) > k NOT AFTER MAX(v) > 10 WITHIN 50ms",
          "SELECT v FROM t WHEN MAX(v) > k AND MAX(AGE(v)) > 40ms FOR 10ms");

  private final int seconds;
  private final int eventsPerSecond;
  private final int rules;
  private final int kinds;

  private AlertCost(int seconds, int eventsPerSecond, int rules, int kinds) {
    this.seconds = seconds;
    this.eventsPerSecond = eventsPerSecond;
    this.rules = rules;
    this.kinds = kinds;
  }

  /**
   * Takes the seconds of each run, the events a second, the number of rules, and the number of
   * kinds of rules: 1 for comparisons only, 5 with NOT THEN, FOR EACH, AFTER and ages.
   */
  public static void main(String[] args) throws Exception {
    new AlertCost(
            Integer.parseInt(args[0]),
            Integer.parseInt(args[1]),
            Integer.parseInt(args[2]),
            Math.min(RULES.size(), Integer.parseInt(args[3])))
        .compare();
  }

  private void compare() throws Exception {
    double none = share(0, 1);
    double one = share(Math.max(1, kinds), 1) / Math.max(1, kinds);
    double many = share(rules, 1);
    double oneOfMany = share(1, rules);
    double manyOfMany = share(rules, rules);
    System.out.printf(
        Locale.ROOT,
        "%d rules, %,d events/s, CPU time of their thread in percent of one core: none %.2f;"
            + " one variable: one rule %.2f, %d rules %.2f, which is %.1f times;"
            + " %d variables: one rule %.2f, a rule each %.2f, which is %.3f of %d such walks%n",
        rules,
        eventsPerSecond,
        none,
        one,
        rules,
        many,
        many / one,
        rules,
        oneOfMany,
        manyOfMany,
        manyOfMany / (rules * oneOfMany),
        rules);
  }

  /** The CPU time of the thread that evaluates, in percent of one core. */
  private double share(int ruleCount, int variableCount) throws Exception {
    Path folder = Files.createTempDirectory("retroscope-alerts");
    Path rulesFolder = Files.createDirectory(folder.resolve("rules"));
    Files.writeString(rulesFolder.resolve("a.rql"), text(ruleCount, variableCount));
    try (LogServer server =
        LogServer.start(
            ServerConfig.in(folder.resolve("data"))
                .port(0)
                .alerts(new AlertOptions(Optional.of(rulesFolder), Optional.empty()))
                .build())) {
      List<Recorder> recorders = new ArrayList<>();
      for (int node = 0; node < NODES; node++) {
        recorders.add(Recorder.builder().node("n" + node).server(server.uri()).build());
      }
      record(recorders, variableCount, WARM_UP_SECONDS);
      long before = cpuNanos();
      record(recorders, variableCount, seconds);
      double share = (cpuNanos() - before) / (seconds * 1e7);
      recorders.forEach(Recorder::close);
      System.out.printf(
          Locale.ROOT, "%d rules over %d variables: %.2f%%%n", ruleCount, variableCount, share);
      return share;
    } finally {
      delete(folder);
    }
  }

  private String text(int ruleCount, int variableCount) {
    StringBuilder text = new StringBuilder("-- none\n");
    for (int i = 0; i < ruleCount; i++) {
      String rule =
          RULES
              .get(i % kinds)
              .replaceAll("\\bv\\b", "v" + i % variableCount)
              .replace("k", Integer.toString(VALUES - 1 - i % 7));
      text.append("CREATE ALERT a%d AS (%s);%n".formatted(i, rule));
    }
    return text.toString();
  }

  private void record(List<Recorder> recorders, int variableCount, int duration) {
    List<EventLog> logs = recorders.stream().map(recorder -> recorder.log("t")).toList();
    long start = System.nanoTime();
    long count = (long) duration * eventsPerSecond;
    for (long i = 0; i < count; i++) {
      long due = start + i * TimeUnit.SECONDS.toNanos(1) / eventsPerSecond;
      if (due - System.nanoTime() > 1_000_000) {
        LockSupport.parkNanos(due - System.nanoTime());
      }
      logs.get((int) (i % NODES)).set("v" + i / NODES % variableCount, i / 7 % VALUES);
    }
  }

  private static long cpuNanos() {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    for (long id : threads.getAllThreadIds()) {
      var info = threads.getThreadInfo(id);
      if (info != null && info.getThreadName().equals("alerts")) {
        return threads.getThreadCpuTime(id);
      }
    }
    throw new IllegalStateException("no thread evaluates alerts");
  }

  private static void delete(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }
}
