// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.Value;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.ast.Literals;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.InMemoryEventSource;
import io.retroscope.rql.diagnostic.ErrorCode;
import io.retroscope.rql.diagnostic.RqlException;
import io.retroscope.rql.evaluation.QueryLimits;
import io.retroscope.rql.golden.EventNotation;
import io.retroscope.rql.oracle.SlicedSource;
import io.retroscope.rql.print.ValueText;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class QueryEngineTest {
  private final List<Row> rows = new ArrayList<>();
  private final List<Row> lateRows = new ArrayList<>();
  private final List<String> warnings = new ArrayList<>();
  private long lastProgress = HlcTimestamp.MIN_PACKED;
  private boolean wantsMore = true;
  private boolean cancelled;

  @Test
  void run_ofALongWalk_reportsItsProgress() {
    run(engine(many(50_000)), "SELECT x FROM t WHEN x@a < 0;");
    assertThat(lastProgress).isBetween(HlcTimestamp.pack(40_000), HlcTimestamp.pack(50_000));
  }

  @Test
  void run_ofALongWalk_givesNoRowBelowItsProgress() {
    run(engine(many(50_000)), "SELECT x FROM t;");
    assertThat(lastProgress).isGreaterThan(HlcTimestamp.pack(40_000));
    assertThat(rows).hasSize(50_000);
    assertThat(lateRows).isEmpty();
  }

  @Test
  void run_fromALaterStart_isNowhereBeforeIt() {
    lastProgress = HlcTimestamp.pack(45_000);
    run(engine(many(50_000)), "SELECT x FROM t ON TIME hlc'45000.0' TO hlc'50000.0' LIMIT 10;");
    assertThat(lastProgress).isEqualTo(HlcTimestamp.pack(45_000));
  }

  @Test
  void run_whenItsReceiverHasGivenUp_endsWithoutRows() {
    cancelled = true;
    run(engine(many(50_000)), "SELECT x FROM t WHEN x@a = 49999;");
    assertThat(rows).isEmpty();
  }

  @Test
  void run_whenItsSinkWantsNoMore_ends() {
    wantsMore = false;
    run(engine(many(10)), "SELECT x FROM t;");
    assertThat(rows).hasSize(1);
  }

  @Test
  void run_ofExplainAnalyze_addsWhatItTook() {
    run(engine(many(10)), "EXPLAIN ANALYZE SELECT x FROM t WHEN x@a >= 5;");
    assertThat(rows.stream().map(row -> ValueText.of(row.values().get(0))))
        .contains(
            "rows: 5",
            "cuts: 10",
            "passed by the quiet rule: 5",
            "events read: 10",
            "blocks: none, all events are in memory")
        .anyMatch(line -> line.startsWith("time: "));
  }

  @Test
  void run_ofExplainAnalyze_endsWhereTheStatementEnds() {
    QueryEngine engine = engine(List.of("1ms a t x=1", "2ms b t x=2", "3ms a t x=\"t\""));

    assertThat(analyzed(engine, "EVENTUALLY MAX(x) = 2 FROM t;"))
        .contains("rows: 1", "rows of the query that walks cuts: 1", "cuts: 2", "events read: 2");
    assertThat(analyzed(engine, "SELECT n FROM (SELECT MAX(x) AS n FROM t) LIMIT 1;"))
        .contains("rows: 1", "rows of the query that walks cuts: 1", "cuts: 1");
    assertThat(analyzed(engine, "SELECT COUNT(*) AS n FROM (SELECT COUNT(x) AS x FROM t);"))
        .contains("rows: 1", "rows of the query that walks cuts: 3", "cuts: 3");
    assertThat(analyzed(engine, "SELECT COUNT(x) AS x FROM t LIMIT 2;"))
        .contains("rows: 2", "cuts: 2")
        .noneMatch(line -> line.startsWith("rows of the query"));
    assertThatThrownBy(() -> analyzed(engine, "NEVER MAX(x) = 3 FROM t;"))
        .hasMessageContaining("cannot compare a LONG with a STRING");
  }

  private List<String> analyzed(QueryEngine engine, String statement) {
    rows.clear();
    run(engine, "EXPLAIN ANALYZE " + statement);
    return rows.stream().map(row -> ValueText.of(row.values().get(0))).toList();
  }

  @Test
  void run_ofExplainAnalyzeWithAPauseOfANode_countsItsBeginAndItsEnd() {
    List<String> events = new ArrayList<>();
    for (int second = 0; second < 60; second++) {
      boolean isSilent = 20 < second && second < 40;
      events.add("%ds a t x=%d".formatted(1_795_200_000 + second, second % 7));
      if (!isSilent) {
        events.add("%ds b heartbeat 500ms".formatted(1_795_200_000 + second));
      }
    }
    InMemoryEventSource source = EventNotation.read(events).source();
    QueryEngine engine = new QueryEngine(source, QueryLimits.DEFAULT);
    QueryEngine sliced =
        new QueryEngine(
            new SlicedSource(source, borders(source), () -> {}, from -> {}), QueryLimits.DEFAULT);
    for (String when : List.of("MAX(x) > 9", "MAX(x) > 3 LIMIT 20")) {
      for (QueryEngine each :
          List.of(EngineRules.inOneSlice(engine), EngineRules.inSlices(sliced))) {
        rows.clear();
        run(each, "EXPLAIN ANALYZE SELECT x FROM t WHEN " + when + ";");
        assertThat(rows.stream().map(row -> ValueText.of(row.values().get(0))))
            .contains("changes of the silent nodes: 2");
      }
    }
  }

  private static List<Long> borders(InMemoryEventSource source) {
    long first = source.open().extent().orElseThrow().from();
    return IntStream.range(1, 6)
        .mapToObj(i -> first + HlcTimestamp.pack(i * 10_000_000L) - HlcTimestamp.pack(0))
        .toList();
  }

  @Test
  void run_ofExplainAnalyzeOfOneCut_countsIt() {
    run(engine(many(10)), "EXPLAIN ANALYZE SELECT x FROM t ON TIME hlc'4.5';");
    assertThat(rows.stream().map(row -> ValueText.of(row.values().get(0))))
        .contains("rows: 1", "cuts: 1", "events read: 4");
  }

  @Test
  void run_ofExplainAnalyzeOfAStream_walksItsHistory() {
    run(engine(many(10)), "EXPLAIN ANALYZE SELECT STREAM x FROM t ON TIME hlc'4.0';");
    assertThat(rows.stream().map(row -> ValueText.of(row.values().get(0))))
        .contains("rows: 7", "cuts: 7", "events read: 10");
  }

  @Test
  void run_ofAStream_isRefusedWithHelp() {
    QueryEngine engine = engine(many(1));
    PreparedQuery query = engine.prepare("SELECT STREAM x FROM t;");
    assertThat(query.isStream()).isTrue();
    assertThatThrownBy(() -> engine.run(query, new Sink()))
        .isInstanceOfSatisfying(
            RqlException.class,
            e -> assertThat(e.diagnostics().get(0).help().orElseThrow()).contains("omit STREAM"));
  }

  @Test
  void run_onAServer_takesNowFromItsClock() {
    run(server("4ms", "5ms"), "SELECT x FROM t ON TIME NOW - 3ms;");
    assertThat(rows.get(0).hlc()).isEqualTo(HlcTimestamp.pack(2_000, HlcTimestamp.MAX_LOGICAL));
    assertThat(warnings).isEmpty();
  }

  @Test
  void run_ofARangeAboveTheWatermark_endsThereWithAWarning() {
    run(server("3ms", "2s"), "SELECT x FROM t ON TIME LAST 1h;");
    assertThat(rows)
        .extracting(row -> HlcTimestamp.micros(row.hlc()))
        .containsExactly(1_000L, 3_000L);
    assertThat(warnings)
        .containsExactly("complete only up to 1970-01-01T00:00:00.003000Z (2.0 s ago)");
  }

  @Test
  void run_atNow_givesTheCutAtTheWatermarkWithAWarning() {
    run(server("3ms", "2s"), "SELECT x FROM t ON TIME NOW;");
    assertThat(rows).hasSize(1);
    assertThat(rows.get(0).hlc()).isEqualTo(HlcTimestamp.pack(3_000));
    assertThat(warnings)
        .containsExactly("complete only up to 1970-01-01T00:00:00.003000Z (2.0 s ago)");
  }

  @Test
  void run_ofARangeThatBeginsAboveTheWatermark_isEmptyWithAWarning() {
    run(server("3ms", "115200s"), "SELECT x FROM t ON TIME LAST 10ms;");
    assertThat(rows).isEmpty();
    assertThat(warnings)
        .containsExactly("complete only up to 1970-01-01T00:00:00.003000Z (32 hours ago)");
  }

  @Test
  void run_whileNoNodeSends_reachesTheLastStoredStamp() {
    run(server("max", "2s"), "SELECT x FROM t ON TIME LAST 1h;");
    assertThat(rows).hasSize(3);
    assertThat(warnings)
        .containsExactly("complete only up to 1970-01-01T00:00:00.004000Z (2.0 s ago)");
  }

  @Test
  void run_withoutOnTimeOnAServer_readsAllThatIsStored() {
    run(server("3ms", "2s"), "SELECT x FROM t;");
    assertThat(rows).hasSize(3);
    assertThat(warnings)
        .containsExactly(
            "complete only up to 1970-01-01T00:00:00.003000Z (2.0 s ago);"
                + " later cuts are preliminary");
  }

  @Test
  void run_withoutOnTimeAndWithoutACutAboveTheWatermark_doesNotWarn() {
    run(server("4ms", "2s"), "SELECT x FROM t;");
    run(server("3ms", "2s"), "SELECT x FROM t LIMIT 2;");
    run(server("3ms", "2s"), "SELECT y FROM u;");
    run(server("2ms", "2s"), "SELECT x FROM t WHEN MAX(x) > 0 FOR 1ms EMIT EDGES LIMIT 1;");
    assertThat(warnings).noneMatch(warning -> warning.contains("complete"));
  }

  @Test
  void run_withoutRowsAboveTheWatermark_warnsToo() {
    run(server("3ms", "2s"), "SELECT x FROM t WHEN MAX(x) > 9;");
    assertThat(rows).isEmpty();
    assertThat(warnings).singleElement().asString().contains("later cuts are preliminary");
  }

  @Test
  void run_withEventsButNoCutAboveTheWatermark_doesNotWarn() {
    List<String> others = List.of("1ms a t x=1", "2ms a t x=2", "4ms a t y=3", "5ms b t x=4");
    run(server(others, "3ms", "2s"), "SELECT x FROM t WHEN x@a > 9 AT NODES a;");
    run(server(others, "3ms", "2s"), "SELECT x FROM t WHEN x@a < 9 AT NODES a EMIT INTERVALS;");
    assertThat(warnings).isEmpty();
    run(server(others, "3ms", "2s"), "SELECT x FROM t WHEN MAX(x) > 9;");
    assertThat(warnings).singleElement().asString().contains("later cuts are preliminary");
  }

  @Test
  void run_withABlockWhoseLastEventMakesNoCut_doesNotWarn() {
    List<String> twoVariables =
        IntStream.rangeClosed(1, 8_260)
            .mapToObj(i -> "%dus a t %s=%d".formatted(i, i <= 8_240 && i % 2 > 0 ? "x" : "y", i))
            .toList();
    QueryEngine engine = server(twoVariables, "8250us", "2s");
    run(engine, "EXPLAIN ANALYZE SELECT x FROM t WHEN MAX(x) > 9999;");
    assertThat(rows.toString()).contains("answered by their zones: 4");
    run(engine, "SELECT x FROM t WHEN MAX(x) > 9999;");
    assertThat(warnings).isEmpty();
    run(engine, "SELECT y FROM t WHEN MAX(y) > 9999;");
    assertThat(warnings).singleElement().asString().contains("later cuts are preliminary");
  }

  @Test
  void run_eventuallyOnAServer_isInconclusiveUntilItsRangeIsComplete() {
    String claim = "EVENTUALLY MAX(x) > 9 FROM t ON TIME hlc'1000.0' TO ";
    assertThat(verdict(server("3ms", "2s"), claim + "hlc'4000.0'"))
        .contains("inconclusive", "complete only up to 1970-01-01T00:00:00.003000Z (2.0 s ago)");
    assertThat(verdict(server("3ms", "2s"), claim + "hlc'3000.0'")).contains("broken");
    assertThat(verdict(server("3ms", "2s"), claim.replace("> 9", "> 1") + "NOW")).contains("holds");
    assertThat(verdict(server("3ms", "2s"), "NEVER MAX(x) > 9 FROM t ON TIME hlc'1000.0' TO NOW"))
        .contains("holds");
  }

  private List<String> verdict(QueryEngine engine, String claim) {
    rows.clear();
    run(engine, claim);
    return rows.get(0).values().stream().map(value -> ValueText.of(value)).toList();
  }

  private static QueryEngine server(String complete, String now) {
    return server(
        List.of("1ms a t x=1", "1ms a u y=1", "3ms a t x=2", "4ms a t x=3"), complete, now);
  }

  private static QueryEngine server(List<String> events, String complete, String now) {
    EventNotation log = EventNotation.read(events);
    long completeHlc =
        complete.equals("max")
            ? HlcTimestamp.MAX_PACKED
            : HlcTimestamp.pack(Literals.durationMicros(complete).orElseThrow());
    Present present =
        new Present() {
          @Override
          public long nowMicros() {
            return Literals.durationMicros(now).orElseThrow();
          }

          @Override
          public long completeHlc() {
            return completeHlc;
          }
        };
    return new QueryEngine(log.source(), QueryLimits.DEFAULT, present, node -> List.of());
  }

  @Test
  void run_overNothing_givesNoRows() {
    run(engine(List.of()), "SHOW LOGS;");
    assertThat(rows).isEmpty();
  }

  @Test
  void ordinals_countTheRowsOfOneStamp() {
    EventNotation log = EventNotation.read(List.of("1ms a t x=1 y=1", "2ms a t y=2"));
    run(
        new QueryEngine(log.source(), QueryLimits.DEFAULT),
        "SELECT NAME(v) FROM t FOR EACH VARIABLE v;");
    assertThat(rows.stream().map(Row::ordinal)).containsExactly(0, 1, 0);
  }

  @Test
  void prepare_ofSeveralErrors_reportsAll() {
    assertThatThrownBy(() -> engine(many(1)).prepare("SELECT y, z FROM t;"))
        .isInstanceOfSatisfying(RqlException.class, e -> assertThat(e.diagnostics()).hasSize(2));
  }

  @Test
  void run_overNonNumbers_comparesButDoesNotCompute() {
    Event event =
        new Event(
            "a",
            "t",
            HlcTimestamp.pack(1_000),
            new EventBody.StateChange(
                List.of(
                    new Change(Operation.SET, "nan", Value.of(Double.NaN)),
                    new Change(Operation.SET, "inf", Value.of(Double.POSITIVE_INFINITY)))));
    QueryEngine engine =
        new QueryEngine(
            new InMemoryEventSource(List.of(event), ClockOffsets.UNKNOWN), QueryLimits.DEFAULT);
    run(engine, "SELECT nan@a = nan@a AND nan@a > inf@a AND inf@a > 1e308 AS ordered FROM t;");
    assertThat(rows.get(0).values()).endsWith(Value.of(true));
    for (String expression :
        List.of(
            "nan@a + 1",
            "-inf@a",
            "Abs(inf@a)",
            "Sqrt(inf@a)",
            "Log(nan@a)",
            "Round(nan@a)",
            "Ceil(inf@a)",
            "Long(nan@a)",
            "1s * nan@a",
            "SUM(nan)",
            "AVG(inf)",
            "MEDIAN(nan)",
            "SPREAD(inf)",
            "inf@a % 2",
            "Sin(inf@a)",
            "Pow(nan@a, 2)")) {
      assertThatThrownBy(() -> run(engine, "SELECT " + expression + " AS x FROM t;"))
          .as(expression)
          .isInstanceOfSatisfying(
              RqlException.class,
              e ->
                  assertThat(e.diagnostics().get(0).code())
                      .isIn(ErrorCode.OUT_OF_DOMAIN.code(), ErrorCode.OVERFLOW.code()));
    }
  }

  private static List<String> many(int count) {
    return IntStream.range(0, count).mapToObj(i -> (i + 1) + " a t x=" + i).toList();
  }

  private static QueryEngine engine(List<String> lines) {
    return new QueryEngine(EventNotation.read(lines).source(), QueryLimits.DEFAULT);
  }

  private void run(QueryEngine engine, String query) {
    engine.run(engine.prepare(query), new Sink());
  }

  private final class Sink implements RowSink {
    @Override
    public void columns(List<Column> columns) {}

    @Override
    public boolean row(Row row) {
      rows.add(row);
      if (row.hlc() <= lastProgress) {
        lateRows.add(row);
      }
      return wantsMore;
    }

    @Override
    public void warning(String message) {
      warnings.add(message);
    }

    @Override
    public void progress(long cuts, long hlc) {
      lastProgress = hlc;
    }

    @Override
    public boolean cancelled() {
      return cancelled;
    }
  }
}
