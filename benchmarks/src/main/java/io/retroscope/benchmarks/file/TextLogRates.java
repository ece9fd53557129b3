// SPDX-License-Identifier: Apache-2.0
package io.retroscope.benchmarks.file;

import io.retroscope.benchmarks.harness.Arguments;
import io.retroscope.benchmarks.harness.CpuTime;
import io.retroscope.recordings.file.EventFile;
import io.retroscope.recordings.file.EventFileSet;
import io.retroscope.recordings.file.InputSettings;
import io.retroscope.recordings.file.LazyEventSource;
import io.retroscope.recordings.textlog.FormatCatalog;
import io.retroscope.recordings.textlog.MessageRules;
import io.retroscope.recordings.textlog.NodeNaming;
import io.retroscope.recordings.textlog.TextLogSettings;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.EventSource.View;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Random;

/**
 * The rate at which lines of Logback become events in a file of sealed blocks, and the memory that
 * it takes. A process measures once, with the start of Java and its compiler.
 */
public final class TextLogRates {
  /** The same lines, as a user would define them. */
  private static final String DEFINITION =
      """
      {"service": {
        "regex": {"std": {"pattern":
          "^(?<timestamp>\\\\d{4}-\\\\d{2}-\\\\d{2} \\\\d{2}:\\\\d{2}:\\\\d{2}\\\\.\\\\d{3}) \\\\[(?<thread>[^\\\\]]+)\\\\] (?<level>\\\\w+)\\\\s+(?<logger>[\\\\w.$]+) - (?<body>.*)$"}},
        "timestamp-format": ["%Y-%m-%d %H:%M:%S.%L"],
        "sample": [{"line": "2026-11-20 18:40:00.123 [main] INFO  a.B - started"}]
      }}
      """;

  private static final String RULE = "became (?<role>leader|follower), term=(?<term>\\d+)";
  private static final int LINES_PER_TRACE = 2_000;
  private static final int LINES_PER_ELECTION = 500;

  private static final String TRACE =
      """
      java.io.IOException: connection reset by peer
      \tat com.acme.orders.Payments.charge(Payments.java:118)
      \tat com.acme.orders.Checkout.run(Checkout.java:61)
      """;

  private TextLogRates() {}

  /**
   * Takes the file, which is written if it does not exist; how many megabytes it has; how it is
   * read: {@code hand}, {@code definition}, or {@code state}, which also finds values.
   */
  public static void main(String[] args) throws IOException {
    Arguments given = new Arguments(args, "file, megabytes, hand or definition or state");
    Path file = Path.of(given.text(0));
    if (!Files.exists(file)) {
      write(file, given.number(1) * 1_000_000L);
      System.out.println("written: run it again, so that no other work is measured");
      return;
    }
    long began = System.nanoTime();
    long events = convert(file, settings(given.text(2)));
    double wallSeconds = (System.nanoTime() - began) / 1e9;
    double cpuSeconds = CpuTime.ofProcess() / 1e9;
    System.out.printf(
        Locale.ROOT,
        "%s: %,d bytes, %,d events, %.1f s of CPU time, %.1f s, %.2f M events per CPU-second, at"
            + " most %d MB of heap%n",
        given.text(2),
        Files.size(file),
        events,
        cpuSeconds,
        wallSeconds,
        events / cpuSeconds / 1e6,
        peakHeapBytes() / 1_000_000);
  }

  private static long peakHeapBytes() {
    return ManagementFactory.getMemoryPoolMXBeans().stream()
        .filter(pool -> pool.getType() == MemoryType.HEAP)
        .mapToLong(TextLogRates::peakBytes)
        .sum();
  }

  private static long peakBytes(MemoryPoolMXBean pool) {
    return pool.getPeakUsage().getUsed();
  }

  private static TextLogSettings settings(String how) {
    boolean isDefined = how.equals("definition");
    List<String> rules = how.equals("state") ? List.of(RULE) : List.of();
    return new TextLogSettings(
        isDefined ? FormatCatalog.with("service.json", DEFINITION) : FormatCatalog.BUILT_IN,
        Optional.empty(),
        Optional.empty(),
        Map.of(),
        NodeNaming.BY_FILE,
        TextLogSettings.DEFAULT_LOG,
        MessageRules.of(rules, List.of(), List.of()));
  }

  private static long convert(Path file, TextLogSettings texts) throws IOException {
    EventFileSet.Settings settings =
        new EventFileSet.Settings(
            events -> ClockOffsets.UNKNOWN,
            EventFile.ClockText.NONE,
            EventFileSet.Listener.NONE,
            Optional.empty(),
            InputStream.nullInputStream(),
            EventFileSet.Settings.usualMemoryBytes(),
            new InputSettings(Optional.empty(), Optional.empty(), false, false, texts, 0));
    try (LazyEventSource source = new EventFileSet(List.of(file), settings).source();
        View view = source.open()) {
      return view.logs().stream().mapToLong(log -> log.eventCount()).sum();
    }
  }

  private static void write(Path file, long bytes) throws IOException {
    Random random = new Random(7);
    DateTimeFormatter format = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss.SSS", Locale.ROOT);
    LocalDateTime time = LocalDateTime.of(2026, 11, 20, 18, 40);
    long written = 0;
    try (BufferedWriter out = Files.newBufferedWriter(file, StandardCharsets.US_ASCII)) {
      for (long line = 0; written < bytes; line++) {
        time = time.plus(random.nextInt(3_000), ChronoUnit.MICROS);
        String text =
            "%s [http-nio-8080-exec-%d] INFO  com.acme.orders.%s - %s%n%s"
                .formatted(
                    format.format(time),
                    random.nextInt(16),
                    random.nextBoolean() ? "Checkout" : "OrderRepository",
                    message(random, line),
                    line % LINES_PER_TRACE == 0 ? TRACE : "");
        out.write(text);
        written += text.length();
      }
    }
  }

  private static String message(Random random, long line) {
    if (line % LINES_PER_ELECTION == 0) {
      return "became %s, term=%d".formatted(random.nextBoolean() ? "leader" : "follower", line);
    }
    return "order %d of customer %d: %d items, %d ms"
        .formatted(line, random.nextInt(100_000), random.nextInt(20), random.nextInt(400));
  }
}
