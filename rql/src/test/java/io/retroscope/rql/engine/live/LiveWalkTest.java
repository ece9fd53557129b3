// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Value;
import io.retroscope.event.Value.NullValue;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.answer.StreamPlace;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.Watermark;
import io.retroscope.rql.engine.QueryEngine;
import io.retroscope.rql.evaluation.LateLimits;
import io.retroscope.rql.evaluation.QueryLimits;
import io.retroscope.rql.golden.EventNotation;
import io.retroscope.rql.print.ValueText;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class LiveWalkTest {
  private static final EventNotation LOG =
      log("1ms a t x=1", "1ms b t x=1", "5ms a t x=2", "9ms a t x=3");

  private final Rows sink = new Rows();
  private QueryLimits limits = QueryLimits.DEFAULT;

  @Test
  void advance_withoutASilentNode_namesItInEveryRow() {
    try (LoneStream walk = open(LOG, "SELECT STREAM x FROM t;", 0)) {
      advance(walk, LOG, 1_000);
      advance(walk, LOG, 9_000, "b");
    }
    assertThat(sink.of("missing"))
        .containsExactly(NullValue.NULL, Value.setOf(Value.of("b")), Value.setOf(Value.of("b")));
    assertThat(sink.texts("x")).containsExactly("{a: 1, b: 1}", "{a: 2, b: 1}", "{a: 3, b: 1}");
  }

  @Test
  void amend_withANodeThatIsBack_replacesTheRowsWithoutIt() {
    EventNotation whole =
        log(
            "1ms a t x=1",
            "1ms b t x=1",
            "4ms b t x=7",
            "5ms a t x=2",
            "9ms a t x=3",
            "12ms a t x=4");
    try (LoneStream walk = open(LOG, "SELECT STREAM x FROM t;", 0)) {
      advance(walk, LOG, 2_000);
      advance(walk, LOG, 9_000, "b");
      amend(walk, whole, 9_000, 4_000);
      advance(walk, whole, 20_000);
    }
    assertThat(sink.answer)
        .containsExactly(
            "{a: 1, b: 1}",
            "{a: 2, b: 1}",
            "{a: 3, b: 1}",
            "late {a: 1, b: 7}",
            "late {a: 2, b: 7}",
            "retracted 5000",
            "late {a: 3, b: 7}",
            "retracted 9000",
            "{a: 4, b: 7}");
    assertThat(sink.of("missing").get(6)).isEqualTo(NullValue.NULL);
  }

  @Test
  void amend_withAnEventThatChangesNoRow_sendsNothing() {
    EventNotation whole =
        log("1ms a t x=1", "1ms b t x=1", "3ms b t y=7", "5ms a t x=2", "9ms a t x=3");
    try (LoneStream walk = open(LOG, "SELECT STREAM x FROM t;", 0)) {
      advance(walk, LOG, 9_000);
      amend(walk, whole, 9_000, 3_000);
    }
    assertThat(sink.answer).containsExactly("{a: 1, b: 1}", "{a: 2, b: 1}", "{a: 3, b: 1}");
    assertThat(sink.lost).isEmpty();
  }

  @Test
  void amend_beyondTheBound_namesTheRangeAndCorrectsLaterRows() {
    limits = QueryLimits.DEFAULT.with(new LateLimits(4_000, 1 << 20));
    EventNotation whole =
        log("1ms a t x=1", "1ms b t x=1", "3ms b t x=7", "5ms a t x=2", "9ms a t x=3");
    try (LoneStream walk = open(LOG, "SELECT STREAM x FROM t;", 0)) {
      for (int micros = 1_000; micros <= 9_000; micros += 1_000) {
        advance(walk, LOG, micros);
      }
      amend(walk, whole, 9_000, 3_000);
    }
    assertThat(sink.lost).containsExactly("3000.0 to 4999.4095");
    assertThat(sink.answer)
        .containsExactly(
            "{a: 1, b: 1}",
            "{a: 2, b: 1}",
            "{a: 3, b: 1}",
            "late {a: 2, b: 7}",
            "retracted 5000",
            "late {a: 3, b: 7}",
            "retracted 9000");
  }

  @Test
  void amend_ofMoreRowsThanItRemembers_namesTheRangeOfTheOthers() {
    limits = QueryLimits.DEFAULT.with(new LateLimits(60_000_000, ShownRows.ROW_BYTES));
    EventNotation whole =
        log("1ms a t x=1", "1ms b t x=1", "3ms b t x=7", "5ms a t x=2", "9ms a t x=3");
    try (LoneStream walk = open(LOG, "SELECT STREAM x FROM t;", 0)) {
      advance(walk, LOG, 9_000);
      amend(walk, whole, 9_000, 3_000);
    }
    assertThat(sink.lost).hasSize(1);
    assertThat(sink.answer).endsWith("late {a: 3, b: 7}", "retracted 9000");
  }

  @Test
  void openLive_resumedAfterALateEvent_namesTheRange() {
    EventNotation whole =
        log("1ms a t x=1", "1ms b t x=1", "3ms b t x=7", "5ms a t x=2", "9ms a t x=3");
    StreamPlace last;
    try (LoneStream walk = open(LOG, "SELECT STREAM x FROM t;", 0)) {
      advance(walk, LOG, 5_000);
      last = StreamPlace.parse(walk.walk().place().text());
    }
    LiveStart start = new LiveStart(HlcTimestamp.pack(9_000), Optional.of(last));
    QueryEngine engine = new QueryEngine(whole.source(), limits);
    try (EventSource.View view = whole.source().open();
        LoneStream walk =
            LoneStream.open(engine, engine.prepare("SELECT STREAM x FROM t;"), view, start, sink)) {
      walk.advance(view, watermark(9_000));
      assertThat(walk.walk().cuts()).isPositive();
    }
    assertThat(sink.lost).containsExactly("0.1 to 5000.0");
    assertThat(sink.answer).containsExactly("{a: 1, b: 1}", "{a: 2, b: 1}", "{a: 3, b: 7}");
  }

  @Test
  void advance_withManyNodesMissing_namesTwentyThatTheQueryCounts() {
    List<String> lines = new ArrayList<>(List.of("1ms a t x=1", "1ms other u y=1"));
    for (int i = 1; i <= 30; i++) {
      lines.add("1ms n" + i + " t x=1");
    }
    EventNotation log = log(lines.toArray(String[]::new));
    String[] silent = new String[31];
    silent[0] = "other";
    for (int i = 1; i <= 30; i++) {
      silent[i] = "n" + i;
    }
    lines.add("5ms a t x=2");
    EventNotation more = log(lines.toArray(String[]::new));
    try (LoneStream walk = open(log, "SELECT STREAM MAX(x) AS m FROM t;", 0)) {
      advance(walk, log, 2_000);
      advance(walk, more, 9_000, silent);
    }
    assertThat(sink.texts("missing").get(1))
        .contains("'and 10 more'", "'n1'")
        .doesNotContain("other", "n21'");
  }

  @Test
  void advance_overCutsUpToWhichASilentNodeIsKnown_doesNotNameIt() {
    try (LoneStream walk = open(LOG, "SELECT STREAM x FROM t;", 0);
        EventSource.View view = LOG.source().open()) {
      TreeMap<String, Long> silent = new TreeMap<>(Map.of("b", HlcTimestamp.pack(5_000)));
      walk.advance(view, new Watermark(HlcTimestamp.pack(9_000), silent));
    }
    assertThat(sink.of("missing"))
        .containsExactly(NullValue.NULL, NullValue.NULL, Value.setOf(Value.of("b")));
  }

  @Test
  void advance_withAGlobal_staysMarkedAfterANodeWasMissing() {
    String query = "SELECT STREAM g, x FROM t COMPUTE GLOBAL g AND g := SUM(x);";
    try (LoneStream walk = open(LOG, query, 0)) {
      advance(walk, LOG, 2_000);
      advance(walk, LOG, 6_000, "b");
      advance(walk, LOG, 9_000);
    }
    assertThat(sink.of("missing"))
        .containsExactly(NullValue.NULL, Value.setOf(Value.of("b")), Value.setOf(Value.of("b")));
  }

  @Test
  void advance_afterTheLimit_saysThatItEnded() {
    EventNotation log = log("1ms a t x=1", "2ms a t x=2", "3ms a t x=3");
    try (LoneStream walk = open(log, "SELECT STREAM x FROM t LIMIT 2;", 0)) {
      assertThat(advance(walk, log, 1_000)).isTrue();
      assertThat(advance(walk, log, 3_000)).isFalse();
      assertThat(advance(walk, log, 4_000)).isFalse();
    }
    assertThat(sink.rows).hasSize(2);
  }

  @Test
  void openLive_fromNowOn_leavesOutWhatWasBefore() {
    EventNotation log = log("1ms a t x=1", "2ms b t x=2", "3ms a t x=3");
    try (LoneStream walk = open(log, "SELECT STREAM x FROM t;", 2_500)) {
      assertThat(sink.rows).isEmpty();
      advance(walk, log, 3_000);
    }
    assertThat(sink.texts("x")).containsExactly("{a: 3, b: 2}");
  }

  @Test
  void openLive_withEdgesThatHold_risesAtOnce() {
    EventNotation log = log("1ms a t x=1", "2ms b t x=5");
    open(log, "SELECT STREAM x FROM t WHEN SPREAD(x) > 1 EMIT EDGES;", 2_500).close();
    assertThat(sink.of("edge")).containsExactly(Value.of("rise"));
    assertThat(sink.rows.get(0).hlc()).isEqualTo(HlcTimestamp.pack(2_500));
  }

  @Test
  void openLive_ofAQueryThatIsNoStream_isRefused() {
    assertThatThrownBy(() -> open(LOG, "SELECT x FROM t;", 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("SELECT x FROM t;");
  }

  private LoneStream open(EventNotation log, String query, long micros) {
    QueryEngine engine = new QueryEngine(log.source(), limits);
    try (EventSource.View view = log.source().open()) {
      return LoneStream.open(engine, engine.prepare(query), view, watermark(micros), sink);
    }
  }

  private static boolean advance(
      LoneStream walk, EventNotation log, long micros, String... missing) {
    try (EventSource.View view = log.source().open()) {
      return walk.advance(view, watermark(micros, missing));
    }
  }

  private static void amend(LoneStream walk, EventNotation log, long micros, long lateMicros) {
    try (EventSource.View view = log.source().open()) {
      walk.amend(view, watermark(micros), HlcTimestamp.pack(lateMicros));
    }
  }

  private static Watermark watermark(long micros, String... missing) {
    return new Watermark(HlcTimestamp.pack(micros), new TreeSet<>(List.of(missing)));
  }

  private static EventNotation log(String... lines) {
    return EventNotation.read(List.of(lines));
  }

  /** A sink that keeps the rows. */
  static final class Rows implements RowSink {
    final List<Row> rows = new ArrayList<>();
    final List<String> answer = new ArrayList<>();
    final List<String> lost = new ArrayList<>();
    private List<String> names = List.of();

    @Override
    public void columns(List<Column> columns) {
      names = columns.stream().map(Column::name).toList();
    }

    @Override
    public boolean row(Row row) {
      return take("", row);
    }

    @Override
    public boolean late(Row row) {
      return take("late ", row);
    }

    private boolean take(String mark, Row row) {
      int x = names.indexOf("x");
      answer.add(mark + (x < 0 ? "" : ValueText.of(row.values().get(x))));
      return rows.add(row);
    }

    @Override
    public void retracted(long row, long hlc) {
      answer.add("retracted " + HlcTimestamp.micros(hlc));
    }

    @Override
    public void lost(long from, long until, String message) {
      lost.add(HlcTimestamp.text(from) + " to " + HlcTimestamp.text(until));
    }

    @Override
    public void warning(String message) {}

    List<Value> of(String column) {
      return rows.stream().map(row -> row.values().get(names.indexOf(column))).toList();
    }

    List<String> texts(String column) {
      return of(column).stream().map(ValueText::of).toList();
    }
  }
}
