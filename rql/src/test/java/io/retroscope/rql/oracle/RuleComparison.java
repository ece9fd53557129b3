// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.oracle;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.event.Event;
import io.retroscope.event.Value.StringValue;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.ast.Statement;
import io.retroscope.rql.cut.batch.QuietRule;
import io.retroscope.rql.diagnostic.RqlException;
import io.retroscope.rql.engine.EngineRules;
import io.retroscope.rql.engine.PreparedQuery;
import io.retroscope.rql.engine.QueryEngine;
import io.retroscope.rql.oracle.OracleTest.Result;
import io.retroscope.rql.parser.OneStatement;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/**
 * Comparisons of the engine with the oracle and with itself without rules, over random logs. {@code
 * -Doracle.seed} replays one case, {@code -Doracle.from} and {@code -Doracle.cases} run others. A
 * run of many prints how far it is, so that another one can continue it.
 */
final class RuleComparison {
  private static final int REPORTED_CASES = 5_000;

  private final Function<Random, List<Event>> events;
  private final Function<Random, String> query;

  /** By seed, so that each wrong rule is compared with the same run. */
  private final Map<Long, Optional<Case>> withoutRules = new HashMap<>();

  /** A query over a log, and its outcome without rules. */
  private record Case(QueryEngine engine, String text, String outcome) {}

  /**
   * Creates a comparison.
   *
   * @param events makes a log
   * @param query makes a query over such a log
   */
  RuleComparison(Function<Random, List<Event>> events, Function<Random, String> query) {
    this.events = events;
    this.query = query;
  }

  /**
   * Compares sealed blocks with memory. They have borders anywhere, overlap if they are late, and
   * some rows are not sealed.
   *
   * @return the number of blocks read that are columns of LONGs
   */
  int compareSealed(int cases) {
    Long one = Long.getLong("oracle.seed");
    long from = one == null ? Long.getLong("oracle.from", 0) : one;
    int longBlocks = 0;
    for (long seed = from; seed < from + (one == null ? cases : 1); seed++) {
      report(seed - from, seed);
      Random random = new Random(seed);
      List<Event> log = this.events.apply(random);
      String text = this.query.apply(random);
      QueryEngine memory = OracleTest.engine(log);
      try {
        memory.prepare(text);
      } catch (RqlException e) {
        continue; // AT NODES names a node that the log does not have.
      }
      SealedSource source = new SealedSource(OracleTest.source(log), log, random);
      QueryEngine sealed = new QueryEngine(source, OracleTest.LIMITS);
      assertThat(outcome(sealed, text))
          .as("-Doracle.seed=%d: %s%nover %s", seed, text, log)
          .isEqualTo(outcome(EngineRules.off(memory), text));
      longBlocks += source.longBlocks();
    }
    return longBlocks;
  }

  boolean differs(long seed, UnaryOperator<QuietRule> wrong) {
    return withoutRules
        .computeIfAbsent(seed, this::withoutRules)
        .filter(c -> !outcome(EngineRules.with(c.engine, wrong), c.text).equals(c.outcome))
        .isPresent();
  }

  private Optional<Case> withoutRules(long seed) {
    Random random = new Random(seed);
    QueryEngine engine = OracleTest.engine(this.events.apply(random));
    String text = this.query.apply(random);
    try {
      engine.prepare(text);
    } catch (RqlException e) {
      return Optional.empty();
    }
    return Optional.of(new Case(engine, text, outcome(EngineRules.off(engine), text)));
  }

  void compare(int cases) {
    Long one = Long.getLong("oracle.seed");
    long from = one == null ? Long.getLong("oracle.from", 0) : one;
    long cuts = 0;
    long passed = 0;
    int answered = 0;
    int withRows = 0;
    for (long seed = from; seed < from + (one == null ? cases : 1); seed++) {
      report(seed - from, seed);
      Random random = new Random(seed);
      List<Event> log = this.events.apply(random);
      String text = this.query.apply(random);
      QueryEngine engine = OracleTest.engine(log);
      PreparedQuery prepared;
      try {
        prepared = engine.prepare(text);
      } catch (RqlException e) {
        continue; // AT NODES names a node that the log does not have.
      }
      answered++;
      Result result = new Result(text);
      Optional<String> error = Optional.empty();
      try {
        engine.run(prepared, result);
      } catch (RqlException e) {
        error = Optional.of(e.diagnostics().get(0).message());
      }
      Statement.Query statement = (Statement.Query) OneStatement.of(text);
      NaiveQuery.Answer expected = NaiveQuery.answer(log, statement, OracleTest.IDLE_MICROS);
      long own = seed;
      Supplier<String> what = () -> "-Doracle.seed=%d: %s%nover %s".formatted(own, text, log);
      assertThat(OracleTest.printed(result.rows(), true))
          .as(what)
          .isEqualTo(OracleTest.printed(expected.rows(), true));
      assertThat(error.isPresent()).as(what).isEqualTo(expected.error() != null);
      if (seed % 3 == 0) {
        assertThat(outcome(EngineRules.off(engine), text))
            .as(() -> "without rules: " + what.get())
            .isEqualTo(outcome(engine, text));
      }
      withRows += expected.rows().isEmpty() ? 0 : 1;
      if (error.isEmpty() && seed % 5 == 0) {
        Cuts counted = new Cuts();
        engine.run(engine.prepare("EXPLAIN ANALYZE " + text), counted);
        cuts += counted.all;
        passed += counted.passed;
      }
    }
    if (one == null) {
      assertThat(withRows).as("queries with rows").isGreaterThan(answered / 3);
      assertThat(passed).as("cuts passed of %d", cuts).isGreaterThan(cuts / 4);
    }
  }

  /** Prints from time to time where a run that is ended can be continued. */
  private static void report(long done, long seed) {
    if (done > 0 && done % REPORTED_CASES == 0) {
      System.out.printf("%,d cases agree; -Doracle.from=%d continues%n", done, seed);
    }
  }

  /** The rows of a query, its warnings and its error. */
  static String outcome(QueryEngine engine, String text) {
    Result result = new Result(text);
    String error = "";
    try {
      engine.run(engine.prepare(text), result);
    } catch (RqlException e) {
      error = e.diagnostics().get(0).message();
    }
    return "%s %s %s".formatted(OracleTest.printed(result.rows(), true), result.warnings(), error);
  }

  /** The number of cuts of a query, as EXPLAIN ANALYZE has it. */
  static String cuts(QueryEngine engine, String text) {
    Cuts cuts = new Cuts();
    engine.run(engine.prepare("EXPLAIN ANALYZE " + text), cuts);
    return String.valueOf(cuts.all);
  }

  /** The figures of EXPLAIN ANALYZE. */
  private static final class Cuts implements RowSink {
    private static final String ALL = "cuts: ";
    private static final String PASSED = "passed by the quiet rule: ";
    private long all;
    private long passed;

    @Override
    public void columns(List<Column> columns) {}

    @Override
    public boolean row(Row row) {
      String line = ((StringValue) row.values().get(0)).value();
      all = line.startsWith(ALL) ? Long.parseLong(line.substring(ALL.length())) : all;
      passed = line.startsWith(PASSED) ? Long.parseLong(line.substring(PASSED.length())) : passed;
      return true;
    }

    @Override
    public void warning(String message) {}
  }
}
