// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Value;
import io.retroscope.event.Value.NullValue;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.Watermark;
import io.retroscope.rql.cut.batch.QuietRule;
import io.retroscope.rql.engine.EngineRules;
import io.retroscope.rql.engine.QueryEngine;
import io.retroscope.rql.evaluation.QueryLimits;
import io.retroscope.rql.golden.EventNotation;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * Queries that are in one group at different times; starts are in milliseconds, rows in
 * microseconds.
 */
class LiveGroupTest {
  private static final String OF_X = "SELECT STREAM x FROM t WHEN MAX(x) > %d EMIT EDGES";

  private EventNotation log = EventNotation.read(List.of("1ms a t x=0", "1ms z u y=0"));
  private final QueryEngine engine = new QueryEngine(log.source(), QueryLimits.DEFAULT);
  private final LiveGroup group = engine.newLiveGroup();
  private final TreeMap<String, Long> silent = new TreeMap<>();
  private long reached;

  @Test
  void advance_withALateNode_keepsTheQueriesThatHaveNotBegun() {
    Received first = open(OF_X.formatted(1), 1);
    events("1ms a t x=0", "3ms a t x=2");
    advance(5);
    Received second = open(OF_X.formatted(2), 8);
    advance(6);
    assertThat(group.walkCount()).isEqualTo(1);

    events("1ms a t x=0", "2ms b t x=2", "3ms a t x=2", "10ms a t x=3");
    advance(7);
    advance(12);

    assertThat(first.calls).containsExactly("row 3000", "late 2000", "retracted 3000");
    assertThat(second.calls).containsExactly("row 10000");
  }

  @Test
  void advance_withAQueryThatLooksFurtherBack_givesItItsFirstCuts() {
    String text = "SELECT STREAM x FROM t WHEN MAX(x) > 2 AFTER MAX(x) = 1 WITHIN %dms EMIT EDGES";
    Received first = open(text.formatted(1), 20);
    advance(5);
    Received second = open(text.formatted(10), 20);
    advance(6);

    events("1ms a t x=0", "12ms a t x=1", "13ms a t x=0", "21ms a t x=3");
    advance(30);

    assertThat(first.calls).isEmpty();
    assertThat(second.calls).hasSize(1);
  }

  @Test
  void advance_overHeartbeatsOnly_endsASilence() {
    Received silence = open("SELECT STREAM x FROM t WHEN MAX(SILENCE(x)) > 5s EMIT EDGES", 1);
    for (String other : List.of("p", "q", "r")) {
      open("SELECT STREAM %s FROM t WHEN MAX(%s) > 0".formatted(other, other), 1);
    }
    advance(8_000);
    events("1ms a t x=0", "8500ms a heartbeat");
    advance(8_900);

    assertThat(silence.calls).hasSize(2).last().isEqualTo("row 8500000");
  }

  @Test
  void advance_withALimitOfNoRows_endsTheQuery() {
    open("SELECT STREAM x FROM t LIMIT 3", 1);
    Received none = open("SELECT STREAM x FROM t LIMIT 0", 1);
    Received alone = open("SELECT STREAM y FROM u LIMIT 0", 1);
    advance(2);
    assertThat(none.walk.isFinished()).isTrue();
    assertThat(alone.walk.isFinished()).isTrue();
    assertThat(none.calls).isEmpty();
  }

  @Test
  void advance_withTwoEventsOfOneStampBeforeTheStart_warns() {
    Received early = open(OF_X.formatted(1), 20);
    events("1ms a t x=0", "2ms a t x=1", "2ms a t x=2");
    advance(5);
    advance(25);
    assertThat(early.warnings).anyMatch(sentence -> sentence.contains("of another run"));
  }

  /** The reasons are looked for once for all queries, which have advanced without any before. */
  @Test
  void advance_withACaveatThatCameLater_warnsEachQueryOnce() {
    String caveat = "8ms a retroscope +caveats=[\"sampled\"]";
    List<Received> all = new ArrayList<>(List.of(open(OF_X.formatted(1), 1)));
    all.add(open(OF_X.formatted(2), 1));
    advance(5);
    advance(6);
    all.add(open("SELECT STREAM y FROM u WHEN MAX(y) > 0 EMIT EDGES", 1));
    advance(7);
    assertThat(all).allSatisfy(query -> assertThat(query.warnings).isEmpty());

    events("1ms a t x=0", "1ms z u y=0", caveat);
    advance(9);
    advance(10);
    all.add(open(OF_X.formatted(1), 11));
    advance(12);
    assertThat(all)
        .allSatisfy(query -> assertThat(query.warnings).containsExactly("node a: sampled"));
  }

  @Test
  void advance_withANewNodeWhileAnotherOneHolds_findsItsRise() {
    String text = "SELECT STREAM n FROM t FOR EACH NODE n WHEN x@n > %d EMIT EDGES";
    Received low = open(text.formatted(1), 1);
    Received high = open(text.formatted(5), 1);
    events(
        "1ms a t x=0", "2ms a t x=2", "3ms a t x=3", "4ms b t x=3", "5ms a t x=0", "6ms a t x=0");
    advance(10);
    assertThat(low.calls).containsExactly("row 2000", "row 4000", "row 5000");
    assertThat(high.calls).isEmpty();
  }

  /** A cut at one node is quiet for the others, whose runs last all the same. */
  @Test
  void advance_whileSomeNodesHold_countsTheCutsOfEach() {
    String text = "SELECT STREAM n FROM t FOR EACH NODE n WHEN x@n > 1 EMIT INTERVALS";
    Received all = open(text, 1);
    events(
        "1ms a t x=0",
        "2ms b t x=0",
        "3ms a t x=2",
        "4ms b t x=2",
        "5ms c t x=0",
        "6ms b t x=3",
        "7ms c t x=2",
        "8ms a t x=0",
        "9ms b t x=0",
        "10ms c t x=1");
    advance(20);
    assertThat(all.calls).containsExactly("row 3000", "row 4000", "row 7000");
    assertThat(all.values("cuts")).containsExactly(Value.of(5), Value.of(5), Value.of(3));
  }

  /** A query without warnings, as of an alert, rests while nothing concerns it. */
  @Test
  void advance_overQuietCuts_letsAQueryThatRestsLearnOfThem() {
    String text = "SELECT STREAM x FROM t WHEN MAX(x) > 1 EMIT INTERVALS";
    Received eager = open(text, 1);
    Received resting = openWithoutWarnings(text, 1);
    List<String> lines = new ArrayList<>(List.of("1ms a t x=0"));
    for (int i = 2; i < 42; i++) {
      lines.add(i + "ms a t x=" + (i / 10 % 2 == 1 ? 2 : 0));
      log = EventNotation.read(lines);
      advance(i);
      if (i % 7 == 0) {
        assertThat(resting.walk.cuts()).isEqualTo(eager.walk.cuts()).isEqualTo(i);
        assertThat(resting.walk.place()).isEqualTo(eager.walk.place());
      }
    }
    assertThat(resting.calls).isEqualTo(eager.calls).containsExactly("row 10000", "row 30000");
    assertThat(resting.values("cuts")).containsExactly(Value.of(10), Value.of(10));
  }

  @Test
  void advance_overRandomHistories_givesAQueryThatRestsWhatOneThatDoesNotGets() {
    List<String> texts =
        List.of(
            OF_X.formatted(6),
            "SELECT STREAM x FROM t WHEN MAX(x) > 5 EMIT INTERVALS",
            "SELECT STREAM x FROM t WHEN MAX(x) > 5 FOR 7ms EMIT EDGES",
            "SELECT STREAM n FROM t FOR EACH NODE n WHEN x@n > 6 EMIT INTERVALS",
            "SELECT STREAM x FROM t WHEN MAX(x) > 6 NOT THEN MIN(x) < 1 WITHIN 9ms",
            "SELECT STREAM x FROM t WHEN MAX(x) > 6 AFTER MAX(x) = 0 WITHIN 20ms",
            "SELECT STREAM x FROM t WHEN MAX(AGE(x)) > 12ms EMIT INTERVALS");
    List<Received> all = new ArrayList<>();
    for (int seed = 0; seed < 6; seed++) {
      all.addAll(compareResting(texts, new Random(seed)));
    }
    for (int i = 0; i < texts.size(); i++) {
      int query = i;
      assertThat(IntStream.range(0, all.size()).filter(n -> n % texts.size() == query))
          .as(texts.get(query))
          .anyMatch(n -> !all.get(n).calls.isEmpty());
    }
  }

  /** Returns the queries that rest, in the order of their texts. */
  private List<Received> compareResting(List<String> texts, Random random) {
    LiveGroup together = engine.newLiveGroup();
    List<Received> eager = new ArrayList<>();
    List<Received> resting = new ArrayList<>();
    List<String> lines = new ArrayList<>(List.of("1ms a t x=0"));
    reached = 0;
    silent.clear();
    log = EventNotation.read(lines);
    for (String text : texts) {
      eager.add(open(together, engine, text, 1, new Received(true)));
      resting.add(open(together, engine, text, 1, new Received(false)));
    }
    int last = 1;
    for (int step = 0; step < 60; step++) {
      for (int i = random.nextInt(4); i > 0; i--) {
        last += 1 + random.nextInt(3);
        int value = random.nextInt(4) == 0 ? random.nextInt(10) : 3;
        lines.add("%dms %s t x=%d".formatted(last, "abc".charAt(random.nextInt(3)), value));
      }
      log = EventNotation.read(lines);
      last += random.nextInt(10) == 0 ? 40 : 0;
      if (random.nextInt(8) == 0) {
        silent.clear();
      } else if (random.nextInt(8) == 0) {
        silent.put("b", reached);
      }
      reached = HlcTimestamp.pack(1_000L * last, 0);
      try (EventSource.View view = log.source().open()) {
        together.advance(view, watermark());
      }
      compare(eager, resting, random.nextInt(5) == 0);
    }
    compare(eager, resting, true);
    return resting;
  }

  private static void compare(List<Received> eager, List<Received> resting, boolean withPlaces) {
    for (int i = 0; i < eager.size(); i++) {
      assertThat(resting.get(i).calls).isEqualTo(eager.get(i).calls);
      assertThat(resting.get(i).rows).isEqualTo(eager.get(i).rows);
      if (withPlaces) {
        assertThat(resting.get(i).walk.cuts()).isEqualTo(eager.get(i).walk.cuts());
        assertThat(resting.get(i).walk.place()).isEqualTo(eager.get(i).walk.place());
      }
    }
  }

  @Test
  void advance_withANodeThatIsSilentWhileAQueryRests_namesItInTheCutsOfThatTime() {
    Received resting =
        openWithoutWarnings("SELECT STREAM x FROM t WHEN MAX(x) > 1 EMIT INTERVALS", 1);
    events(
        "1ms a t x=0", "1ms b t x=0", "2ms a t x=2", "3ms a t x=3", "4ms a t x=4", "5ms a t x=0");
    advance(2);
    advance(3);
    silent.put("b", HlcTimestamp.pack(3_500, 0));
    advance(4);
    silent.clear();
    advance(5);
    assertThat(resting.calls).containsExactly("row 2000");
    assertThat(resting.values("missing")).hasSize(1).noneMatch(NullValue.class::isInstance);
  }

  @Test
  void advance_withAFallLongAfterTheRise_endsARunThatLastedLongEnough() {
    Received resting =
        openWithoutWarnings("SELECT STREAM x FROM t WHEN MAX(x) > 1 FOR 20ms EMIT EDGES", 1);
    events("1ms a t x=0", "5ms a t x=2", "50ms a t x=3");
    advance(10);
    assertThat(resting.calls).isEmpty();
    advance(15);
    advance(24);
    assertThat(resting.calls).isEmpty();
    advance(25);
    assertThat(resting.calls).containsExactly("row 5000");
  }

  /** Its questions and their alarms begin in the middle of the advance. */
  @Test
  void advance_overTheStartOfAQueryThatJoins_findsAnAgeThatIsReachedThere() {
    String text = "SELECT STREAM n FROM t FOR EACH NODE n WHEN Age(x)@n > %dms EMIT EDGES";
    open(text.formatted(500), 1);
    advance(5);
    Received withoutEvents = open(text.formatted(12), 6);
    Received beforeAnEvent = open(text.formatted(15), 7);
    events("1ms a t x=0", "1ms z u y=0", "18ms a t x=1");
    advance(20);
    assertThat(group.walkCount()).isEqualTo(1);
    assertThat(withoutEvents.calls).containsExactly("row 13001", "row 18000");
    assertThat(beforeAnEvent.calls).containsExactly("row 16001", "row 18000");
  }

  @Test
  void advance_withNewVariables_doesNotJoinAWalkThatMayKeepEndedQueries() {
    String text = "SELECT STREAM NAME(v) AS n FROM t FOR EACH VARIABLE v WHEN COUNT(v) > %d";
    open(text.formatted(0), 1);
    advance(5);
    open(text.formatted(1), 8);
    advance(6);
    assertThat(group.walkCount()).isEqualTo(2);
  }

  @Test
  void advance_withARuleThatOverflowsTheStack_endsTheQueriesOfItsWalk() {
    QueryEngine deep =
        EngineRules.with(
            engine,
            rule ->
                new QuietRule() {
                  @Override
                  public int truths() {
                    return UNKNOWN;
                  }

                  @Override
                  public Limit limit() {
                    throw new StackOverflowError();
                  }
                });
    Received failing = open(deep, OF_X.formatted(1), 1);
    Received other = open("SELECT STREAM y FROM u WHEN MAX(y) > 0 EMIT EDGES", 1);
    events("1ms a t x=0", "2ms a t x=1", "3ms a t x=2", "4ms z u y=1");
    advance(5);
    assertThat(failing.walk.failure()).isNotNull();
    assertThat(failing.walk.isFinished()).isTrue();
    assertThat(other.calls).containsExactly("row 4000");
  }

  /** Its walk is quiet, and so evaluates no cut. */
  @Test
  void advance_afterManyQueriesCameAndLeft_keepsNoneOfThem() {
    Received standing = open(OF_X.formatted(100), 1);
    advance(1);
    for (int i = 2; i < 1_000; i++) {
      Received passing = open(OF_X.formatted(100 + i), i);
      advance(i);
      assertThat(group.walkCount()).isEqualTo(1);
      passing.walk.close();
    }
    advance(1_000);
    assertThat(group.tracks().map(LiveTrack::heldCount)).containsExactly(1);
    assertThat(standing.walk.isFinished()).isFalse();
  }

  @Test
  void advance_afterManyQueriesWithResponsesCameAndLeft_keepsFewOfTheirRules() {
    String text = "SELECT STREAM x FROM t WHEN MAX(x) > %d NOT THEN MIN(x) < 1 WITHIN 1s";
    List<String> lines = new ArrayList<>(List.of("1ms a t x=0"));
    Received standing = open(text.formatted(100), 1);
    int highest = 0;
    for (int i = 2; i < 200; i += 4) {
      for (int at = i; at < i + 3; at++) {
        lines.add(at + "ms a t x=0");
      }
      log = EventNotation.read(lines);
      Received passing = open(text.formatted(100 + i), i);
      advance(i + 3);
      highest = Math.max(highest, group.tracks().mapToInt(LiveTrack::heldRuleCount).sum());
      passing.walk.close();
    }
    assertThat(group.walkCount()).isEqualTo(1);
    assertThat(highest).as("two ladders, with three rungs").isEqualTo(5);
    assertThat(standing.walk.isFinished()).isFalse();
  }

  @Test
  void advance_ofManyClientsOfFewQueries_keepsTheRulesOfEachQueryOnce() {
    List<String> conditions =
        List.of(
            "x@a % 2 = 1 AND MAX(y) > 3",
            "x@a % 2 = 1 OR MAX(y) > 3",
            "x@a % 2 != 1 AND MAX(y) > 3",
            "x@a % 3 = 1 AND MAX(y) > 3",
            "x@b % 2 = 1 AND MAX(y) > 3",
            "x@a % 2 = 1 AND MIN(y) > 3",
            "x@a % 2 = 1 AND NOT (MAX(y) > 3)",
            "x@a IS NULL AND MAX(y) > 3",
            "MAX(y) > 3 AND x@a % 2 = 1");
    events(
        "1ms a t x=0 y=0",
        "1ms b t x=0 y=0",
        "2ms a t x=2",
        "3ms a t x=4",
        "5ms a t x=1 y=4",
        "6ms a t y=5");
    List<Received> all = new ArrayList<>();
    for (int client = 0; client < 5; client++) {
      conditions.forEach(
          condition ->
              all.add(open("SELECT STREAM x@a FROM t WHEN " + condition + " EMIT EDGES", 1)));
    }
    advance(4);
    assertThat(group.tracks().mapToInt(LiveTrack::heldRuleCount).sum())
        .as("a ladder with one rung for each query")
        .isEqualTo(2 * conditions.size());
    advance(7);
    assertThat(group.tracks().mapToInt(LiveTrack::heldRuleCount).sum())
        .as("and another one for each that holds")
        .isEqualTo(2 * conditions.size() + 2 * 4);
    for (int i = 0; i < all.size(); i++) {
      boolean isTrue = List.of(0, 1, 3, 8).contains(i % conditions.size());
      assertThat(all.get(i).calls)
          .as(conditions.get(i % conditions.size()))
          .isEqualTo(isTrue ? List.of("row 5000") : List.of());
    }
  }

  @Test
  void advance_afterManyValuesCameAndLeft_keepsFewOfTheirAlarms() {
    open(
        "SELECT STREAM v FROM t FOR EACH VALUE v IN x WHEN MAX(Age(x)) > 1h AND COUNT n IN NODES :"
            + " (x@n = v) > 0",
        1);
    List<String> lines = new ArrayList<>(List.of("1ms a t x=0", "1ms b t x=0"));
    for (int i = 2; i < 200; i++) {
      lines.add(i + "ms a t x=" + i);
      log = EventNotation.read(lines);
      advance(i);
    }
    assertThat(group.tracks().mapToInt(track -> track.alarms().size()).sum()).isBetween(1, 10);
  }

  /** Each write of either variable moves the alarm. */
  @Test
  void advance_overWritesThatMoveAnAlarm_keepsOneForEachComparison() {
    Received moving =
        open("SELECT STREAM x FROM t WHEN EXISTS v IN y : (Age(x)@(NODE(v)) > 1h)", 1);
    List<String> lines = new ArrayList<>(List.of("1ms a t x=0 y=0"));
    for (int i = 2; i < 100; i++) {
      lines.add(i + "ms a t x=" + i);
    }
    log = EventNotation.read(lines);
    advance(100);
    assertThat(group.tracks().map(track -> track.alarms().size())).containsExactly(1);
    moving.walk.close();
    advance(101);
    assertThat(group.tracks()).isEmpty();
  }

  private void events(String... lines) {
    log = EventNotation.read(List.of(lines));
  }

  private Received open(String text, long startMillis) {
    return open(engine, text, startMillis);
  }

  private Received openWithoutWarnings(String text, long startMillis) {
    return open(engine, text, startMillis, new Received(false));
  }

  private Received open(QueryEngine in, String text, long startMillis) {
    return open(in, text, startMillis, new Received(true));
  }

  private Received open(QueryEngine in, String text, long startMillis, Received received) {
    return open(group, in, text, startMillis, received);
  }

  private Received open(
      LiveGroup to, QueryEngine in, String text, long startMillis, Received received) {
    LiveStart start = LiveStart.at(HlcTimestamp.pack(1_000 * startMillis, 0));
    try (EventSource.View view = log.source().open()) {
      received.walk = in.openLive(in.prepare(text), view, start, received, to);
    }
    return received;
  }

  private void advance(long millis) {
    reached = HlcTimestamp.pack(1_000 * millis, 0);
    try (EventSource.View view = log.source().open()) {
      group.advance(view, watermark());
    }
  }

  private Watermark watermark() {
    return new Watermark(reached, new TreeMap<>(silent));
  }

  private static final class Received implements RowSink {
    private final List<String> calls = new ArrayList<>();
    private final List<String> warnings = new ArrayList<>();
    private final List<String> names = new ArrayList<>();
    private final List<Row> rows = new ArrayList<>();
    private final boolean takesWarnings;
    private LiveWalk walk;

    Received(boolean takesWarnings) {
      this.takesWarnings = takesWarnings;
    }

    /** The values of a column in all rows. */
    private List<Value> values(String column) {
      int index = names.indexOf(column);
      return rows.stream().map(row -> row.values().get(index)).toList();
    }

    @Override
    public void columns(List<Column> columns) {
      columns.forEach(column -> names.add(column.name()));
    }

    @Override
    public boolean row(Row row) {
      rows.add(row);
      return calls.add("row " + HlcTimestamp.micros(row.hlc()));
    }

    @Override
    public boolean late(Row row) {
      return calls.add("late " + HlcTimestamp.micros(row.hlc()));
    }

    @Override
    public void retracted(long row, long hlc) {
      calls.add("retracted " + HlcTimestamp.micros(hlc));
    }

    @Override
    public boolean takesWarnings() {
      return takesWarnings;
    }

    @Override
    public void warning(String message) {
      warnings.add(message);
    }
  }
}
