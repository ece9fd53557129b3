// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.oracle;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.event.Event;
import io.retroscope.event.Value;
import io.retroscope.event.Value.NullValue;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.ast.Statement;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.InMemoryEventSource;
import io.retroscope.rql.cut.Watermark;
import io.retroscope.rql.diagnostic.RqlException;
import io.retroscope.rql.engine.PreparedQuery;
import io.retroscope.rql.engine.QueryEngine;
import io.retroscope.rql.engine.live.LoneStream;
import io.retroscope.rql.evaluation.QueryLimits;
import io.retroscope.rql.oracle.NaiveQuery.NaiveRow;
import io.retroscope.rql.parser.OneStatement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Compares the engine with the oracle for generated queries over generated logs, and live queries
 * with those over history. {@code -Doracle.seed} replays one case.
 */
class OracleTest {
  /** Short, so that nodes become silent within the logs. */
  static final long IDLE_MICROS = 9;

  static final QueryLimits LIMITS =
      new QueryLimits(1_000_000, 1_000_000, 100_000, 1_000, IDLE_MICROS);

  private static final Set<String> OF_CLOCKS =
      Set.of("hlc", "time", "uncertaintyMicros", "endTime", "durationUncertaintyMicros", "missing");

  private static final Set<String> OF_RESPONSES =
      Set.of(
          "hlc",
          "time",
          "uncertaintyMicros",
          "endTime",
          "durationUncertaintyMicros",
          "missing",
          "cuts",
          "borderline");

  @Test
  void rows_ofGeneratedQueries_areTheOraclesRows() {
    compareWithOracle(500);
  }

  @Test
  void rows_ofGeneratedQueries_areTheSameLive() {
    compareLive(375);
  }

  @Test
  @Tag("slow")
  void rows_ofVeryManyGeneratedQueries_areTheOraclesRows() {
    compareWithOracle(200_000);
    compareLive(100_000);
  }

  private static void compareWithOracle(int cases) {
    int answered = 0;
    int withRows = 0;
    for (long seed : seeds(cases)) {
      Random random = new Random(seed);
      List<Event> events = new RandomLog(random).events();
      String text = new RandomQuery(random).text(false);
      Optional<Result> result = run(events, text);
      if (result.isPresent()) {
        Statement.Query query = (Statement.Query) OneStatement.of(text);
        NaiveQuery.Answer expected = NaiveQuery.answer(events, query, IDLE_MICROS);
        answered++;
        withRows += expected.rows().isEmpty() ? 0 : 1;
        Supplier<String> what = what(seed, text, events);
        boolean ordered = query.forEach().isEmpty();
        assertThat(printed(result.get().rows, ordered))
            .as(what)
            .isEqualTo(printed(expected.rows(), ordered));
        assertThat(result.get().error.isPresent()).as(what).isEqualTo(expected.error() != null);
      }
    }
    if (cases > 1) {
      assertThat(answered).as("queries that passed the analyzer").isGreaterThan(cases / 2);
      assertThat(withRows).as("queries with rows").isGreaterThan(cases / 5);
    }
  }

  private static void compareLive(int cases) {
    int answered = 0;
    for (long seed : seeds(cases)) {
      Random random = new Random(seed);
      List<Event> events = new RandomLog(random).events();
      String text = new RandomQuery(random).text(true);
      String past = text.replace("SELECT STREAM", "SELECT").replace("ON TIME hlc'1000.0'", "");
      Optional<Result> history = run(events, past);
      Optional<Result> live = history.flatMap(h -> runLive(events, text, random, 0));
      if (live.isPresent()) {
        answered++;
        Supplier<String> what = what(seed, text, events);
        assertThat(printed(live.get().rows, true))
            .as(what)
            .isEqualTo(printed(history.get().withoutOpen(), true));
        assertThat(live.get().error).as(what).isEqualTo(history.get().error);
      }
    }
    assertThat(answered).as("queries that passed the analyzer").isGreaterThanOrEqualTo(cases / 2);
  }

  /** How a case is described if it fails: with the seed that replays it. */
  static Supplier<String> what(long seed, Object asked, List<Event> events) {
    return () -> "-Doracle.seed=%d: %s%nover %s".formatted(seed, asked, events);
  }

  static long[] seeds(int cases) {
    Long one = Long.getLong("oracle.seed");
    if (one != null) {
      return new long[] {one};
    }
    long[] seeds = new long[cases];
    for (int i = 0; i < cases; i++) {
      seeds[i] = i;
    }
    return seeds;
  }

  /** Returns rows as text without the sign of zero, which no query can distinguish. */
  static List<String> printed(List<NaiveRow> rows, boolean ordered) {
    Stream<String> printed = rows.stream().map(row -> row.toString().replace("=-0.0]", "=0.0]"));
    return (ordered ? printed : printed.sorted()).toList();
  }

  static Optional<Result> run(List<Event> events, String text) {
    QueryEngine engine = engine(events);
    PreparedQuery query;
    try {
      query = engine.prepare(text);
    } catch (RqlException e) {
      return Optional.empty();
    }
    Result result = new Result(text);
    try {
      engine.run(query, result);
    } catch (RqlException e) {
      result.error = Optional.of(e.diagnostics().get(0).message());
    }
    return Optional.of(result);
  }

  /**
   * Runs a query live, in batches of random size.
   *
   * @param beyond how many stamps beyond the last event the watermark moves in the end
   */
  static Optional<Result> runLive(List<Event> events, String text, Random random, int beyond) {
    QueryEngine engine = engine(events);
    PreparedQuery query = engine.prepare(text);
    Result result = new Result(text);
    TreeSet<Long> stamps = new TreeSet<>();
    events.forEach(event -> stamps.add(event.hlc()));
    long start = random.nextBoolean() ? stamps.first() - 1 : stamps.first() + random.nextInt(9);
    try (EventSource.View view = source(events).open();
        LoneStream walk = LoneStream.open(engine, query, view, watermark(start), result)) {
      for (long stamp : stamps.tailSet(start)) {
        if (random.nextInt(3) == 0) {
          walk.advance(view, watermark(stamp + random.nextInt(2)));
        }
      }
      walk.advance(view, watermark(stamps.last() + beyond));
    } catch (RqlException e) {
      result.error = Optional.of(e.diagnostics().get(0).message());
    }
    return Optional.of(result);
  }

  private static Watermark watermark(long hlc) {
    return new Watermark(hlc, new TreeSet<>());
  }

  static InMemoryEventSource source(List<Event> events) {
    return new InMemoryEventSource(events, ClockOffsets.UNKNOWN);
  }

  static QueryEngine engine(List<Event> events) {
    return new QueryEngine(source(events), LIMITS);
  }

  static final class Result implements RowSink {
    private final boolean plays;
    private final List<NaiveRow> rows = new ArrayList<>();
    private final List<String> warnings = new ArrayList<>();
    private Optional<String> error = Optional.empty();
    private List<Column> columns = List.of();

    Result(String text) {
      plays = text.contains("PLAY ");
    }

    List<NaiveRow> rows() {
      return rows;
    }

    Optional<String> error() {
      return error;
    }

    @Override
    public void columns(List<Column> all) {
      columns = all;
    }

    @Override
    public boolean row(Row row) {
      List<Value> values = new ArrayList<>();
      for (int i = 0; i < columns.size(); i++) {
        if (!columns.get(i).automatic() || !leftOut().contains(columns.get(i).name())) {
          values.add(row.values().get(i));
        }
      }
      if (plays) {
        values.add(
            row.note()
                .<Value>map(note -> Value.of(note.note() + "/" + note.velocity()))
                .orElse(NullValue.NULL));
      }
      rows.add(new NaiveRow(row.hlc(), values));
      return true;
    }

    @Override
    public void warning(String message) {
      warnings.add(message);
    }

    List<String> warnings() {
      return warnings;
    }

    /** THEN and AFTER define no number of cuts. */
    private Set<String> leftOut() {
      return columns.contains(new Column("triggerHlc", true)) ? OF_RESPONSES : OF_CLOCKS;
    }

    /** Returns the rows without the open runs, which a live query does not report. */
    List<NaiveRow> withoutOpen() {
      int open =
          columns.stream()
              .map(Column::name)
              .filter(name -> !leftOut().contains(name))
              .toList()
              .indexOf("open");
      return rows.stream()
          .filter(row -> open < 0 || !row.values().get(open).equals(Value.of(true)))
          .toList();
    }
  }
}
