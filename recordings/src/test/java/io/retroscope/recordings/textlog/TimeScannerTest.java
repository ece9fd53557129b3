// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recordings.textlog;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What a scanner has read before does not change what it reads. */
class TimeScannerTest {
  private static final List<String> DATES =
      List.of("2026-11-20", "2026-11-21", "2026/11/20", "2026-Nov-20", "2026-W47-5", "20 Nov 2026");
  private static final List<String> CLOCKS =
      List.of(" 1:02:03", "T01:02:03", " 01:02:3", " 01:02", "T010203", " 11:02:33", "-01.02.03");
  private static final List<String> ENDS =
      List.of(
          "", ".5", ",123456", ":007", "9", " AM", ".25 PM", "Z", ".5Z", "+01:00", " CET", " x");

  private static <T> T any(Random random, List<T> list) {
    return list.get(random.nextInt(list.size()));
  }

  private static String fields(TimeScanner scanner, String text) {
    int end = scanner.scan(text, 0);
    LogTime time = scanner.time();
    return end < 0
        ? "none"
        : "%d: %d-%d-%d %d:%d:%d.%d %d %s"
            .formatted(
                end,
                time.year,
                time.month,
                time.day,
                time.hour,
                time.minute,
                time.second,
                time.nanos,
                time.offsetSeconds,
                time.missing);
  }

  @Test
  void scan_afterOtherTimes_isAsWithoutThem() {
    long seed = Long.getLong("seed", 1);
    Random random = new Random(seed);
    TimeScanner used = new TimeScanner();
    for (int i = 0; i < 20_000; i++) {
      String text = any(random, DATES) + any(random, CLOCKS) + any(random, ENDS);
      assertThat(fields(used, text))
          .as("seed %d, step %d: %s", seed, i, text)
          .isEqualTo(fields(new TimeScanner(), text));
    }
  }
}
