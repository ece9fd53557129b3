// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.print;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Value;
import io.retroscope.event.Value.StructValue;
import io.retroscope.event.Value.TimestampValue;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class ChartPrinterTest {
  private static final long START = 1_795_200_000_000_000L;
  private static final List<Column> CUTS =
      List.of(new Column("hlc", true), new Column("r1", false));

  private final StringWriter printed = new StringWriter();
  private final ResultPrinter chart = new ChartPrinter(new PrintWriter(printed), 60);

  @Test
  void end_collectionOverTime_drawsALineForEachNodeOnOneScale() {
    chart.columns(CUTS);
    for (int i = 0; i < 55; i++) {
      chart.row(cut(i * 1000L, "zk2", i < 20 ? 0 : 7, "zk10", i / 7));
    }
    chart.end();

    assertThat(printed.toString())
        .isEqualTo(
            """
            r1: 0 to 7
            zk2  ▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁███████████████████████████████████
            zk10 ▁▁▁▁▁▁▁▂▂▂▂▂▂▂▃▃▃▃▃▃▃▄▄▄▄▄▄▄▅▅▅▅▅▅▅▆▆▆▆▆▆▆▇▇▇▇▇▇▇██████
                 2026-11-20T18:40:00.000000Z 2026-11-20T18:40:00.054000Z
            (55 rows)
            """);
  }

  @Test
  void end_shortSpike_isNotLost() {
    chart.columns(CUTS);
    chart.row(cut(0, "a", 0));
    chart.row(cut(5_000_000, "a", 22));
    chart.row(cut(5_000_001, "a", 0));
    chart.row(cut(10_000_000, "a", 0));
    chart.end();

    assertThat(line(1)).startsWith("a ▁▁▁").contains("█").endsWith("▁▁▁").hasSize(60);
    assertThat(line(1).chars().filter(c -> c == '█').count()).isBetween(1L, 2L);
  }

  @Test
  void end_nodeUnset_leavesAGap() {
    chart.columns(CUTS);
    chart.row(cut(0, "a", 1, "b", 2));
    chart.row(cut(29_000, "b", 2));
    chart.row(cut(57_999, "a", 1, "b", 2));
    chart.end();

    assertThat(line(1)).matches("a ▁+ +▁");
    assertThat(line(2)).matches("b █+");
  }

  @Test
  void end_intervals_drawsOnlyWhatHeld() {
    chart.columns(
        List.of(new Column("hlc", true), new Column("endHlc", true), new Column("lag", false)));
    chart.row(interval(0, 10_000, 2));
    chart.row(interval(40_000, 58_000, 4));
    chart.end();

    assertThat(line(0)).isEqualTo("lag: 2 to 4");
    assertThat(line(1)).matches(" ▁+ +█+");
  }

  @Test
  void end_oneValueOnly_drawsALowLine() {
    chart.columns(CUTS);
    chart.row(cut(0, "a", 5));
    chart.end();

    assertThat(line(0)).isEqualTo("r1: 5");
    assertThat(line(1)).isEqualTo("a " + "▁".repeat(58));
  }

  @Test
  void end_texts_drawsTheirLetters() {
    chart.columns(CUTS);
    chart.row(states(0, "n1", "leader", "n2", "follower"));
    chart.row(states(29_000, "n1", "leader", "n2", "failed"));
    chart.row(states(57_999, "n2", "leader"));
    chart.end();

    assertThat(line(0)).isEqualTo("r1: l = leader, f = follower, a = failed");
    assertThat(line(1)).matches("n1 l{57}");
    assertThat(line(2)).matches("n2 f{28}a{29}");
  }

  @Test
  void end_moreTextsThanLetters_drawsTheRestAlike() {
    chart.columns(CUTS);
    for (int i = 0; i < ChartStates.MAX_STATES + 2; i++) {
      chart.row(states(i * 1_000L, "a", "text " + i + "x".repeat(50)));
    }
    chart.end();

    assertThat(line(0)).startsWith("r1: t = text 0xxx").endsWith("..., * = others");
    assertThat(line(1)).startsWith("a tt").endsWith("**");
    assertThat(line(1).chars().skip(2).distinct()).hasSize(ChartStates.MAX_STATES + 1);
  }

  @Test
  void end_whatCannotBeDrawn_isNamed() {
    chart.columns(List.of(new Column("hlc", true), new Column("n", false), new Column("s", false)));
    chart.row(
        new Row(
            stamp(0).packed(),
            0,
            List.of(stamp(0), Value.of(1), Value.setOf(Value.of(1))),
            Optional.empty()));
    chart.end();

    assertThat(printed.toString()).contains("(not drawn, without numbers or texts: s)\n");
  }

  @Test
  void end_noNumbers_saysSo() {
    chart.columns(List.of(new Column("log", false)));
    chart.row(new Row(0, 0, List.of(Value.of("setd")), Optional.empty()));
    chart.end();

    assertThat(printed.toString())
        .isEqualTo("(nothing to draw: the result has no numbers or texts over time)\n(1 row)\n");
  }

  @Test
  void row_moreNodesThanLines_drawsTheFirst() {
    chart.columns(CUTS);
    for (int i = 0; i <= ChartPrinter.MAX_SERIES; i++) {
      chart.row(cut(i, "n" + i, 1));
    }
    chart.end();

    assertThat(printed.toString().lines().filter(line -> line.startsWith("n")))
        .hasSize(ChartPrinter.MAX_SERIES);
    assertThat(printed.toString()).contains("(only the first 64 lines are drawn)");
  }

  @Test
  void end_everyWidth_fits() {
    for (int width : new int[] {1, 20, 33, 200}) {
      StringWriter text = new StringWriter();
      ResultPrinter printer = new ChartPrinter(new PrintWriter(text), width);
      printer.columns(CUTS);
      for (int i = 0; i < 3_000; i++) {
        printer.row(cut(i * 977L, "a-node-with-a-long-name", i));
      }
      printer.end();
      assertThat(text.toString().lines().skip(1).limit(1))
          .allMatch(line -> line.length() == Math.max(20, width));
    }
  }

  private String line(int index) {
    return printed.toString().lines().toList().get(index);
  }

  private static Row cut(long micros, Object... nodesAndNumbers) {
    TreeMap<String, Value> fields = new TreeMap<>();
    for (int i = 0; i < nodesAndNumbers.length; i += 2) {
      fields.put((String) nodesAndNumbers[i], Value.of((int) nodesAndNumbers[i + 1]));
    }
    TimestampValue hlc = stamp(micros);
    return new Row(hlc.packed(), 0, List.of(hlc, new StructValue(fields)), Optional.empty());
  }

  private static Row states(long micros, String... nodesAndTexts) {
    TreeMap<String, Value> fields = new TreeMap<>();
    for (int i = 0; i < nodesAndTexts.length; i += 2) {
      fields.put(nodesAndTexts[i], Value.of(nodesAndTexts[i + 1]));
    }
    TimestampValue hlc = stamp(micros);
    return new Row(hlc.packed(), 0, List.of(hlc, new StructValue(fields)), Optional.empty());
  }

  private static Row interval(long from, long to, long value) {
    TimestampValue hlc = stamp(from);
    return new Row(hlc.packed(), 0, List.of(hlc, stamp(to), Value.of(value)), Optional.empty());
  }

  private static TimestampValue stamp(long micros) {
    return new TimestampValue(HlcTimestamp.pack(START + micros));
  }
}
