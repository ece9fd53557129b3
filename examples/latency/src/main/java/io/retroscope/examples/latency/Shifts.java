// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.latency;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Value;
import io.retroscope.event.Value.DoubleValue;
import io.retroscope.event.Value.LongValue;
import io.retroscope.event.Value.StringValue;
import io.retroscope.event.Value.TimestampValue;
import io.retroscope.examples.stage.History;
import io.retroscope.examples.stage.Match;
import io.retroscope.examples.stage.StageException;
import java.io.IOException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The shifts of one node's latency, found by a query over the past: runs of rounds in which even
 * the fastest peer is typically slow. Answers to delayed pings come all at once, so that rounds
 * show a shift where the time of the answers does not. Immutable.
 *
 * @param node the node that is slow
 * @param typical the median of the fastest answers, in microseconds, by parts of {@link
 *     #ROUNDS_PER_PART} rounds
 * @param stretches the shifts in order
 */
record Shifts(String node, SortedMap<Long, Double> typical, List<Stretch> stretches) {
  /** The rounds of half a second. */
  static final int ROUNDS_PER_PART = LatencyNode.ROUNDS_PER_SECOND / 2;

  private static final String PARTS =
      "SELECT part, began, typical FROM (SELECT Floor(r / %1$d) AS part, MIN(time) AS began,"
          + " Median(b) AS typical FROM (SELECT round@%2$s AS r, best@%2$s AS b FROM clt"
          + " AT NODES %2$s WHEN Changed(round)) GROUP BY part)";

  private static final String SHIFTED = PARTS + " WHERE typical > 100000 ORDER BY part;";

  /**
   * A run of neighbouring parts.
   *
   * @param answeredMicros when the first round of the first part was answered, since 1970
   * @param lastAnsweredMicros when the first round of the last part was
   */
  record Stretch(long firstPart, long lastPart, long answeredMicros, long lastAnsweredMicros) {}

  /** Copies the collections. */
  Shifts {
    typical = new TreeMap<>(typical);
    stretches = List.copyOf(stretches);
  }

  /** Queries those of a node. */
  static Shifts of(String node, History history) throws StageException, IOException {
    SortedMap<Long, Double> typical = new TreeMap<>();
    for (Match row : history.rows((PARTS + ";").formatted(ROUNDS_PER_PART, node))) {
      typical.put(row.number("part"), number(row, "typical"));
    }
    List<Stretch> stretches = new ArrayList<>();
    for (Match row : history.rows(SHIFTED.formatted(ROUNDS_PER_PART, node))) {
      add(stretches, row.number("part"), micros(row, "began"));
    }
    return new Shifts(node, typical, stretches);
  }

  private static void add(List<Stretch> stretches, long part, long answeredMicros) {
    int last = stretches.size() - 1;
    if (last >= 0 && stretches.get(last).lastPart() == part - 1) {
      Stretch before = stretches.get(last);
      stretches.set(
          last, new Stretch(before.firstPart(), part, before.answeredMicros(), answeredMicros));
    } else {
      stretches.add(new Stretch(part, part, answeredMicros, answeredMicros));
    }
  }

  private static long micros(Match row, String column) {
    Value time = row.cells().get(column);
    if (time instanceof TimestampValue stamp) {
      return HlcTimestamp.micros(stamp.packed());
    }
    return time instanceof StringValue text
        ? ChronoUnit.MICROS.between(Instant.EPOCH, Instant.parse(text.value()))
        : 0;
  }

  private static double number(Match row, String column) {
    Value value = row.cells().get(column);
    if (value instanceof DoubleValue number) {
      return number.value();
    }
    return value instanceof LongValue number ? (double) number.value() : Double.NaN;
  }

  /**
   * The mean distance of the shifts' beginnings, in seconds of rounds; none with fewer than two.
   */
  OptionalDouble cycleSeconds() {
    int last = stretches.size() - 1;
    return last < 1
        ? OptionalDouble.empty()
        : OptionalDouble.of(
            seconds(stretches.get(last).firstPart() - stretches.get(0).firstPart()) / last);
  }

  /** The duration of parts, in seconds. */
  static double seconds(long parts) {
    return (double) parts * ROUNDS_PER_PART / LatencyNode.ROUNDS_PER_SECOND;
  }

  /** The query, and what it found. */
  String text() {
    StringBuilder text = new StringBuilder(SHIFTED.formatted(ROUNDS_PER_PART, node)).append('\n');
    for (Stretch stretch : stretches) {
      text.append(
          String.format(
              Locale.ROOT,
              "  after %.1f s of rounds, for %.1f s, answered from %s on%n",
              seconds(stretch.firstPart()),
              seconds(stretch.lastPart() + 1 - stretch.firstPart()),
              HlcTimestamp.isoMicros(stretch.answeredMicros())));
    }
    cycleSeconds()
        .ifPresent(
            seconds ->
                text.append(
                    String.format(
                        Locale.ROOT,
                        "  a cycle of %.1f s, the mean of %d%n",
                        seconds,
                        stretches.size() - 1)));
    return text.toString();
  }
}
