// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recordings.textlog;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.recordings.replay.ClockReading;
import io.retroscope.recordings.replay.ReadingSource;
import io.retroscope.rql.cut.Incompleteness;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Lines as many systems write them are read without any option: as many entries as were written,
 * with their times.
 */
class EveryFormatTest {
  private static final int ENTRIES = 300;

  /** Enough to recognize a shape. */
  private static final int FEW_ENTRIES = 30;

  /** The shapes whose times leave out a part, which is remarked. */
  private static final Pattern INCOMPLETE =
      Pattern.compile(
          "(android|klog|linux|mac|openssh|proxifier|redis-2|rfc3164|logback-short|zerolog-console)(-.*)?");

  static Stream<LogShape> shapes() {
    return Stream.concat(LogShape.all().stream(), SystemShapes.all().stream());
  }

  /** A written log, and what must be read from it. */
  private static final class Written {
    private final StringBuilder text = new StringBuilder();
    private final List<Long> micros = new ArrayList<>();
    private ZonedDateTime time = ZonedDateTime.of(2026, 11, 20, 18, 40, 0, 0, ZoneOffset.UTC);

    /** Writes entries some of which have several lines; the seed decides which. */
    Written(LogShape shape, int entries, long seed) {
      Random random = new Random(seed);
      for (int i = 0; i < entries; i++) {
        time = time.plusNanos(1_000L * random.nextInt(90_000_000));
        micros.add(shape.expectedMicros(time));
        text.append(shape.line().apply(time, "message " + i)).append('\n');
        if (random.nextInt(5) == 0) {
          text.append(shape.continuation());
        }
      }
    }
  }

  private static List<ClockReading> read(
      String text, ZonedDateTime changed, List<Incompleteness> reasons) throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    byte[] sample =
        bytes.length <= TextLog.SAMPLE_BYTES
            ? bytes
            : java.util.Arrays.copyOf(bytes, TextLog.SAMPLE_BYTES);
    Optional<TextLog> found = TextLog.recognize("app.log", sample, TextLogSettings.DEFAULT);
    assertThat(found).isPresent();
    TextLog log = found.get().of("app");
    if (log.leavesOut()) {
      long lastMicros = changed.toEpochSecond() * 1_000_000;
      log = log.anchored(new ByteArrayInputStream(bytes), lastMicros);
    }
    List<ClockReading> readings = new ArrayList<>();
    try (ReadingSource source = log.open(new ByteArrayInputStream(bytes), Vocabulary.learning())) {
      for (ClockReading next = source.next(); next != null; next = source.next()) {
        readings.add(next);
      }
      reasons.addAll(source.reasons());
    }
    return readings;
  }

  @ParameterizedTest
  @MethodSource("shapes")
  void entries_haveTheTimesOfTheirLines(LogShape shape) throws IOException {
    Written written = new Written(shape, ENTRIES, 1);
    List<Incompleteness> reasons = new ArrayList<>();

    List<ClockReading> readings = read(written.text.toString(), written.time, reasons);

    assertThat(readings).extracting(ClockReading::micros).isEqualTo(written.micros);
    assertThat(reasons)
        .as("reasons of %s", shape.name())
        .hasSize(INCOMPLETE.matcher(shape.name()).matches() ? 1 : 0);
    assertThat(readings.get(7).bodies().toString()).contains("message 7");
  }

  @ParameterizedTest
  @MethodSource("shapes")
  void lastLine_thatIsCutOffWithinItsBeginning_isLeftOut(LogShape shape) throws IOException {
    Written written = new Written(shape, FEW_ENTRIES, 2);
    String line = shape.line().apply(written.time, "cut");
    List<Incompleteness> reasons = new ArrayList<>();

    for (int length : List.of(1, 4, 9)) {
      reasons.clear();
      List<ClockReading> readings =
          read(written.text + line.substring(0, length), written.time, reasons);

      assertThat(readings).as("%d characters", length).hasSize(FEW_ENTRIES);
      assertThat(reasons)
          .as("%d characters", length)
          .hasAtLeastOneElementOfType(Incompleteness.CutOff.class);
    }
  }

  @ParameterizedTest
  @MethodSource("shapes")
  void severalLines_areOneMessage(LogShape shape) throws IOException {
    String more = shape.continuation();
    if (more.isEmpty()) {
      return; // each line of the system has a time
    }
    ZonedDateTime time = ZonedDateTime.of(2026, 11, 20, 18, 40, 0, 0, ZoneOffset.UTC);
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < 3; i++) {
      text.append(shape.line().apply(time.plusSeconds(i), "m" + i)).append('\n').append(more);
    }

    List<ClockReading> readings = read(text.toString(), time.plusSeconds(3), new ArrayList<>());

    assertThat(readings).hasSize(3);
    assertThat(readings.get(1).bodies().toString()).contains(more.strip());
  }
}
