// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.oracle;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.event.Value;
import io.retroscope.recordings.file.SealedFileSource;
import io.retroscope.recordings.file.SmallFiles;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.InMemoryEventSource;
import io.retroscope.rql.diagnostic.RqlException;
import io.retroscope.rql.engine.PreparedQuery;
import io.retroscope.rql.engine.QueryEngine;
import io.retroscope.rql.engine.history.SharedAnswers;
import io.retroscope.rql.evaluation.QueryLimits;
import io.retroscope.rql.parser.RqlParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Compares statements that run together with the same statements run alone, over events in memory,
 * in a file of small blocks and in sealed blocks with zones. {@code -Doracle.seed} replays one
 * case.
 */
class SharedQueriesTest {
  private static final int MOST_STATEMENTS = 9;
  private static final long HEAP = 1 << 20;
  private static final List<String> NUMBERS =
      List.of(
          "SPREAD(a)",
          "MAX(a)",
          "MIN(a)",
          "COUNT(a)",
          "a@n1",
          "(a@n1 - a@n2)",
          "(2 * a@n2 + 1)",
          "MAX(ms)",
          "MAX(Age(a))",
          "MAX(WriteAge(a))",
          "MAX(Silence(a))");

  /** Rules that need more than their values: timers, earlier cuts, elements, live nodes. */
  private static final List<String> RULES =
      List.of(
          "SELECT a FROM t WHEN MAX(Age(a)) > %dus",
          "SELECT a FROM t WHEN MIN(Silence(a)) < %dus",
          "SELECT a FROM t WHEN MAX(WriteAge(a)) > %dus EMIT INTERVALS",
          "SELECT a FROM t WHEN SPREAD(a) > %d THEN SPREAD(a) < 2 WITHIN 9us",
          "SELECT a FROM t WHEN MAX(a) > %d NOT AFTER MAX(a) > 3 WITHIN 20us",
          "SELECT a FROM t WHEN MAX(a) > %d FOR 4us AT LIVE NODES",
          "SELECT n FROM t FOR EACH NODE n WHEN a@n > %d EMIT EDGES",
          "SELECT n FROM t FOR EACH NODE n WHEN a@n > %d NOT THEN a@n < 2 WITHIN 3us",
          "SELECT x FROM t FOR EACH VALUE x IN a WHEN COUNT n IN NODES : (a@n = x) > %d",
          "SELECT n FROM t FOR EACH NODE n WHEN Age(a)@n > %dus EMIT INTERVALS",
          "SELECT NAME(v) AS v FROM t FOR EACH VARIABLE v LIKE '_' WHEN COUNT(v) > %d EMIT EDGES");

  @TempDir private Path folder;

  private long walks;
  private long shared;
  private long cuts;
  private long passed;
  private long stops;
  private int failures;
  private int withRows;

  @Test
  void answers_ofStatementsTogether_areThoseOfEachAlone() throws IOException {
    compare(200);
  }

  @Test
  @Tag("slow")
  void answers_ofVeryManyStatementsTogether_areThoseOfEachAlone() throws IOException {
    compare(Integer.getInteger("oracle.cases", 60_000));
  }

  @Test
  void answers_ofRulesAlike_areThoseOfEachAloneInOneWalk() {
    compareRules(88);
  }

  @Test
  @Tag("slow")
  void answers_ofVeryManyRulesAlike_areThoseOfEachAloneInOneWalk() {
    compareRules(Integer.getInteger("oracle.cases", 20_000));
  }

  private void compareRules(int cases) {
    for (long seed : OracleTest.seeds(cases)) {
      Random random = new Random(seed);
      // Neighbouring seeds begin with the same high bits, which nextBoolean() would take.
      List<Event> events =
          random.nextInt(6) % 2 == 0
              ? new RandomLog(random).events()
              : QuietRuleTest.events(random);
      String rule = RULES.get((int) (seed % RULES.size()));
      int from = 995 + random.nextInt(60);
      String later = " ON TIME hlc'%d.0' TO hlc'%d.0'".formatted(from, from + random.nextInt(90));
      String range = random.nextInt(3) == 0 ? "" : later;
      List<String> texts = new ArrayList<>();
      for (int i = 0; i < 2 + random.nextInt(5); i++) {
        texts.add(rule.formatted(random.nextInt(6)) + range + ";");
      }
      Supplier<String> what = OracleTest.what(seed, texts, events);
      SharedAnswers answers =
          compare(OracleTest.source(events), OracleTest.LIMITS, texts, random, what);
      assertThat(answers.cost().stream().filter(line -> line.startsWith("walk of ")))
          .as(what)
          .hasSizeLessThanOrEqualTo(1)
          .allMatch(line -> line.startsWith("walk of " + texts.size() + " statements"));
    }
    if (cases > 1) {
      assertThat(shared).as("statements that shared their walk").isGreaterThan(walks);
      assertThat(withRows).as("statements with rows").isGreaterThan(cases);
    }
  }

  @Test
  void answers_ofRulesThatNeedEarlierCutsOrSigns_areThoseOfEachAlone() {
    List<Event> early =
        List.of(written(1_000, "t", 5), written(1_001, "t", 0), written(1_004, "t", 2));
    String after = "SELECT a FROM t WHEN MAX(a) > %d NOT AFTER MAX(a) > 4 WITHIN 20us";
    compareTwo(after + " ON TIME hlc'1002.0' TO hlc'1090.0';", early);
    assertThat(withRows).isZero();

    long minute = 60_000_000;
    List<Event> silent =
        List.of(
            written(minute, "t", 1),
            written(20 * minute, "other", 1),
            written(40 * minute, "t", 2));
    compareTwo("SELECT a FROM t WHEN MAX(Silence(a)) > %dm EMIT INTERVALS;", silent);
    assertThat(withRows).isEqualTo(2);
  }

  private void compareTwo(String rule, List<Event> events) {
    List<String> texts = List.of(rule.formatted(1), rule.formatted(2));
    compare(OracleTest.source(events), OracleTest.LIMITS, texts, new Random(1), () -> rule);
  }

  private static Event written(long micros, String log, long value) {
    EventBody body = new EventBody.StateChange(List.of(QuietRuleTest.set("a", Value.of(value))));
    return new Event("n1", log, HlcTimestamp.pack(micros), body);
  }

  /** Constants that LONGs cannot distinguish are apart for DOUBLEs between them. */
  @Test
  void answers_ofStatementsOverDoubles_areThoseOfEachAlone() {
    for (long seed : OracleTest.seeds(300)) {
      Random random = new Random(seed);
      List<Event> events = new ArrayList<>();
      for (int i = 0; i < 60; i++) {
        Value value = Value.of((random.nextInt(9) - 1) / 2.0);
        EventBody body = new EventBody.StateChange(List.of(QuietRuleTest.set("a", value)));
        events.add(new Event("n" + (1 + i % 2), "t", HlcTimestamp.pack(1_000 + i), body));
      }
      String number = List.of("MAX(a)", "a@n1", "(a@n1 - a@n2)").get(random.nextInt(3));
      String emit = random.nextBoolean() ? " EMIT INTERVALS" : "";
      List<String> texts = new ArrayList<>();
      for (int i = 0; i < 5; i++) {
        texts.add(alike(number, emit, random));
      }
      Supplier<String> what = OracleTest.what(seed, texts, events);
      compare(OracleTest.source(events), OracleTest.LIMITS, texts, random, what);
    }
  }

  private void compare(int cases) throws IOException {
    for (long seed : OracleTest.seeds(cases)) {
      Random random = new Random(seed);
      List<Event> events =
          random.nextInt(3) == 0 ? new RandomLog(random).events() : QuietRuleTest.events(random);
      List<String> texts = texts(random);
      InMemoryEventSource memory = OracleTest.source(events);
      Supplier<String> what = OracleTest.what(seed, texts, events);
      switch (random.nextInt(3)) {
        case 0 -> compare(memory, OracleTest.LIMITS, texts, random, what);
        case 1 ->
            compare(
                new SealedSource(memory, events, random), OracleTest.LIMITS, texts, random, what);
        default -> {
          boolean decorated = random.nextBoolean();
          compareFile(
              decorated ? FileOracleTest.decorated(events, random) : events, texts, random, what);
        }
      }
    }
    if (cases > 1) {
      assertThat(shared).as("statements that shared their walk").isGreaterThan(walks);
      assertThat(passed).as("cuts passed of %d", cuts).isGreaterThan(cuts / 10);
      assertThat(failures).as("statements that failed").isGreaterThan(cases / 20);
      assertThat(withRows).as("statements with rows").isGreaterThan(cases);
      assertThat(stops).as("stops in files").isGreaterThan(cases);
    }
  }

  private void compareFile(
      List<Event> events, List<String> texts, Random random, Supplier<String> what)
      throws IOException {
    Path file = folder.resolve("events.rtsf");
    boolean keepsFew = random.nextInt(4) == 0;
    try (SealedFileSource source =
        SmallFiles.source(
            file,
            events,
            1 + random.nextInt(20),
            1 + random.nextInt(events.size()),
            1 + random.nextInt(1_000),
            keepsFew ? 0 : HEAP)) {
      SharedAnswers answers = compare(source, FileOracleTest.LIMITS, texts, random, what);
      String blocks = line(answers, "blocks: ");
      if (!keepsFew) {
        assertThat(blocks).as(what).doesNotContain("again");
      }
      try (EventSource.View view = source.open()) {
        stops += view.blockReads().orElseThrow().share().length;
      }
    }
    Files.delete(file);
  }

  private SharedAnswers compare(
      EventSource source,
      QueryLimits limits,
      List<String> texts,
      Random random,
      Supplier<String> what) {
    QueryEngine engine = new QueryEngine(source, limits);
    List<PreparedQuery> prepared = new ArrayList<>();
    List<Kept> alone = new ArrayList<>();
    List<RowSink> together = new ArrayList<>();
    for (String text : texts) {
      try {
        prepared.add(engine.prepare(text));
      } catch (RqlException e) {
        continue;
      }
      int wanted = random.nextInt(6) == 0 ? 1 + random.nextInt(4) : Integer.MAX_VALUE;
      int checks = random.nextInt(20) == 0 ? random.nextInt(9) : Integer.MAX_VALUE;
      alone.add(new Kept(wanted, checks));
      together.add(new Kept(wanted, checks));
    }
    List<Optional<String>> errors = new ArrayList<>();
    for (int i = 0; i < prepared.size(); i++) {
      errors.add(error(engine, prepared.get(i), alone.get(i)));
      withRows += alone.get(i).rows.isEmpty() ? 0 : 1;
      failures += errors.get(i).isPresent() ? 1 : 0;
    }
    SharedAnswers answers =
        engine.runTogether(
            prepared.stream().map(query -> new RqlParser().read(query.text())).toList(), together);
    for (int i = 0; i < prepared.size(); i++) {
      String own = prepared.get(i).text();
      Supplier<String> which = () -> own + " of " + what.get();
      if (alone.get(i).checks == Integer.MAX_VALUE) {
        assertThat(together.get(i)).as(which).isEqualTo(alone.get(i));
        assertThat(answers.failures().get(i).map(Throwable::getMessage))
            .as(which)
            .isEqualTo(errors.get(i));
      }
    }
    note(answers);
    return answers;
  }

  private static Optional<String> error(QueryEngine engine, PreparedQuery query, RowSink sink) {
    try {
      engine.run(query, sink);
      return Optional.empty();
    } catch (RqlException e) {
      return Optional.of(e.getMessage());
    }
  }

  private void note(SharedAnswers answers) {
    for (String line : answers.cost()) {
      if (line.startsWith("walk of ")) {
        int end = line.indexOf(' ', "walk of ".length());
        int size = Integer.parseInt(line.substring("walk of ".length(), end));
        walks += size > 1 ? 1 : 0;
        shared += size > 1 ? size - 1 : 0;
      }
      cuts += number(line, "  cuts of all: ");
      passed += number(line, "  passed by the quiet rules: ");
    }
  }

  private static long number(String line, String name) {
    return line.startsWith(name) ? Long.parseLong(line.substring(name.length())) : 0;
  }

  private static String line(SharedAnswers answers, String name) {
    return answers.cost().stream().filter(line -> line.startsWith(name)).findFirst().orElseThrow();
  }

  private static List<String> texts(Random random) {
    List<String> times = new ArrayList<>(List.of(""));
    int from = 995 + random.nextInt(40);
    times.add(" ON TIME hlc'%d.0' TO hlc'%d.0'".formatted(from, from + random.nextInt(90)));
    times.add(" ON TIME LAST %dus".formatted(random.nextInt(60)));
    times.add(" ON TIME hlc'%d.0'".formatted(from));
    List<String> nodes = List.of("", "", "", " AT NODES n1, n2", " AT LIVE NODES");
    List<String> texts = new ArrayList<>();
    int count = 2 + random.nextInt(MOST_STATEMENTS - 1);
    if (random.nextBoolean()) {
      String range =
          times.get(random.nextInt(4)) + (random.nextInt(4) == 0 ? " EMIT INTERVALS" : "");
      String number = NUMBERS.get(random.nextInt(NUMBERS.size()));
      for (int i = 0; i < count; i++) {
        texts.add(alike(number, range, random));
      }
      return texts;
    }
    for (int i = 0; i < count; i++) {
      String range = nodes.get(random.nextInt(5)) + times.get(random.nextInt(8) / 2 % 4 / 2);
      texts.add(text(range, random));
    }
    return texts;
  }

  /** One of several statements that compare the same number with constants. */
  private static String alike(String number, String range, Random random) {
    String operator = List.of(">", ">=", "<", "<=", ">", ">=", "=", "!=").get(random.nextInt(8));
    String bound =
        random.nextInt(9) - 1 + (number.matches("MAX\\((Write)?Age.*|.*Silence.*") ? "us" : "");
    String predicate =
        random.nextInt(4) == 0
            ? bound + " " + operator + " " + number
            : number + " " + operator + " " + bound;
    if (random.nextInt(6) == 0) {
      predicate = "(NOT " + predicate + ")";
    }
    String lasts = random.nextInt(5) == 0 ? " FOR " + (1 + random.nextInt(9)) + "us" : "";
    return "SELECT a FROM t WHEN " + predicate + lasts + range + ";";
  }

  private static String text(String range, Random random) {
    String predicate = QuietRuleTest.predicate(random.nextInt(3), random);
    String lasts = random.nextInt(4) == 0 ? " FOR " + (1 + random.nextInt(9)) + "us" : "";
    String items = random.nextInt(3) == 0 ? "a" : "a, b@n1 AS i1, Prev(a) AS i2, Changed(b) AS i3";
    String emit =
        List.of("", " EMIT CUTS", " EMIT INTERVALS", " EMIT EDGES").get(random.nextInt(4));
    return switch (random.nextInt(12)) {
      case 0 -> new RandomQuery(random).text(false);
      case 1, 2 -> "NEVER " + predicate + " FROM t" + range + ";";
      case 3 -> "EVENTUALLY " + predicate + " FROM t" + range + ";";
      case 4 ->
          "SELECT COUNT(*) AS n, MAX(durationMicros) AS d FROM (SELECT a FROM t WHEN %s%s EMIT INTERVALS);"
              .formatted(predicate, range);
      case 6, 7 ->
          "SELECT a FROM t WHEN %s%s%s %s WITHIN %dus%s;"
              .formatted(
                  predicate,
                  lasts,
                  List.of(" THEN", " NOT THEN", " AFTER", " NOT AFTER").get(random.nextInt(4)),
                  QuietRuleTest.predicate(1, random),
                  random.nextInt(20),
                  range);
      case 5 -> "SELECT a, message FROM t WHEN " + predicate + range + emit + ";";
      default ->
          "SELECT %s FROM t WHEN %s%s%s%s%s%s;"
              .formatted(
                  items,
                  predicate,
                  lasts,
                  range,
                  emit,
                  random.nextInt(6) == 0 ? " LIMIT " + random.nextInt(5) : "",
                  random.nextBoolean() ? " ON ERROR SKIP" : "");
    };
  }

  /**
   * A receiver that keeps everything, wants a number of rows, and is cancelled after some checks.
   */
  private static final class Kept implements RowSink {
    private final int wanted;
    private final int checks;
    private final List<String> columns = new ArrayList<>();
    private final List<List<Value>> rows = new ArrayList<>();
    private final List<String> warnings = new ArrayList<>();
    private int checked;

    Kept(int wanted, int checks) {
      this.wanted = wanted;
      this.checks = checks;
    }

    @Override
    public void columns(List<Column> all) {
      all.forEach(column -> columns.add(column.name()));
    }

    @Override
    public boolean row(Row row) {
      rows.add(row.values());
      return rows.size() < wanted;
    }

    @Override
    public void warning(String message) {
      warnings.add(message);
    }

    @Override
    public boolean cancelled() {
      return ++checked > checks;
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Kept that && toString().equals(that.toString());
    }

    @Override
    public int hashCode() {
      return toString().hashCode();
    }

    @Override
    public String toString() {
      return columns + "\n" + rows + "\n" + warnings;
    }
  }
}
