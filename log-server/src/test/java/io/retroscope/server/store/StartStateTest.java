// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store;

import static io.retroscope.server.store.StoreFixture.NOW_MICROS;
import static io.retroscope.server.store.StoreFixture.block;
import static io.retroscope.server.store.StoreFixture.frames;
import static io.retroscope.server.store.StoreFixture.hlc;
import static io.retroscope.server.store.StoreFixture.lines;
import static io.retroscope.server.store.StoreFixture.set;
import static org.assertj.core.api.Assertions.as;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.EventBody.Spill;
import io.retroscope.event.Value;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.cut.EventSource.View;
import io.retroscope.rql.cut.Watermark;
import io.retroscope.rql.diagnostic.RqlException;
import io.retroscope.rql.engine.PreparedQuery;
import io.retroscope.rql.engine.QueryEngine;
import io.retroscope.rql.engine.live.LiveGroup;
import io.retroscope.rql.engine.live.LiveStart;
import io.retroscope.rql.engine.live.LiveWalk;
import io.retroscope.rql.evaluation.QueryLimits;
import io.retroscope.server.memory.MemoryBudget;
import io.retroscope.server.store.StoreOptions.SealLimits;
import io.retroscope.server.store.Submission.EncodedFrame;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableSet;
import java.util.Random;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests that skipped blocks do not affect rows and warnings: random queries over random stores,
 * from their stamps on. {@code -Dretroscope.seed} replays one store.
 */
@Timeout(600)
class StartStateTest {
  /**
   * Longer than the gaps within one lifetime in the store, shorter than the silences of the
   * histories.
   */
  private static final long IDLE_MICROS = 150_000;

  private static final List<String> QUERIES =
      List.of(
          "SELECT * FROM a",
          "SELECT x, s, rare FROM a",
          "SELECT a.x, b.x, NODES FROM a, b",
          "SELECT rare, NODES FROM a",
          "SELECT x, Age(x), Age(s), Prev(x), Changed(x) FROM a",
          "SELECT Age(y), Age(x) FROM b",
          "SELECT x FROM a WHEN EXISTS v IN Age(x) : (v > 15us)",
          "SELECT message, x, tag FROM a",
          "SELECT fields, send, receive FROM b",
          "SELECT NAME(v), v, Age(v) FROM a FOR EACH VARIABLE v",
          "SELECT NAME(v), v, NODES FROM b FOR EACH VARIABLE v LIKE 'r%' EMIT INTERVALS",
          "SELECT x, s, NODES FROM a AT LIVE NODES",
          "SELECT Age(x) FROM a WHEN EXISTS v IN Age(x) : (v > 9us) AT LIVE NODES",
          "SELECT x, s, y, NODES FROM a AT NODES n1, n2",
          "SELECT y, x FROM a WHEN EXISTS v IN y : (v = 1) FOR 3us",
          "SELECT a.y, b.x FROM a, b WHEN EXISTS v IN a.x : (v = 1) EMIT EDGES");

  @TempDir Path directory;

  @Test
  void rows_fromEachSecondStart_areThoseOfThePlainScan() {
    compare(2, 2);
  }

  @Test
  @Tag("slow")
  void rows_ofManyStoresFromEveryStart_areThoseOfThePlainScan() {
    compare(300, 1);
  }

  @Test
  void rows_overSealedBlocks_areThoseOfTheArrivals() {
    compareSealed(2, 2);
  }

  @Test
  @Tag("slow")
  @Timeout(1800)
  void rows_ofManyStoresOverSealedBlocks_areThoseOfTheArrivals() {
    compareSealed(2_000, 1);
  }

  @Test
  void blocks_ofAQuestionAtTheEndOfALongHistory_areTheLastThatCanMatter() {
    try (EventStore store = StoreFixture.open(directory)) {
      for (int number = 1; number <= 200; number++) {
        for (int node = 1; node <= 3; node++) {
          if (node < 3 || number <= 150) {
            store.append(frames(longBlock(node, number))).join();
          }
        }
      }
      QueryEngine engine = new QueryEngine(new ScannedSource(store, false), QueryLimits.DEFAULT);
      String end = " ON TIME " + new HlcTimestamp(hlc(20_000));
      String lastTen = " ON TIME LAST 1000us";

      // Of n1 and n2 the blocks with the start and the latest one, of n3 those with start and stop.
      assertThat(blocks(engine, "SELECT often FROM a" + end)).isEqualTo("6 read, 544 skipped");
      assertThat(blocks(engine, "SELECT Age(often) FROM a" + end)).isEqualTo("6 read, 544 skipped");
      assertThat(blocks(engine, "SELECT same FROM a" + end)).isEqualTo("6 read, 544 skipped");
      // Starts and stops, and the only block in which it was written, or unset.
      assertThat(blocks(engine, "SELECT once FROM a" + end)).isEqualTo("5 read, 545 skipped");
      assertThat(blocks(engine, "SELECT once FROM a" + lastTen)).isEqualTo("5 read, 545 skipped");
      assertThat(blocks(engine, "SELECT gone FROM a" + end)).isEqualTo("6 read, 544 skipped");
      assertThat(blocks(engine, "SELECT NAME(v), v FROM a FOR EACH VARIABLE v" + end))
          .isEqualTo("9 read, 541 skipped");
      assertThat(blocks(engine, "SELECT often FROM a AT NODES n1" + end))
          .isEqualTo("2 read, 548 skipped");
      // The blocks of the range, and those before.
      assertThat(blocks(engine, "SELECT often FROM a" + lastTen)).isEqualTo("26 read, 524 skipped");
      // There was never a different value, so only the first block shows its age.
      assertThat(blocks(engine, "SELECT Age(same) FROM a" + end))
          .isEqualTo("402 read, 148 skipped");
    }
  }

  /** What a node never wrote is searched for in the blocks that have it only. */
  @Test
  void blocks_sealedOfNodesThatNeverWroteAVariable_areNotReadForIt() {
    List<EncodedFrame> written = new ArrayList<>();
    StoreOptions options = StoreOptions.DEFAULT.sealingBy(new SealLimits(30, 1_000, 100));
    try (EventStore store = EventStore.open(directory, options, () -> NOW_MICROS)) {
      for (int number = 1; number <= 40; number++) {
        for (int node = 1; node <= 3; node++) {
          String name = "n" + node;
          long stamp = hlc(number * 100L - 50 - node);
          List<Event> events = new ArrayList<>();
          for (int i = 1; i < 10; i++) {
            events.add(set(name, "a", stamp + i, "often", 10 * number + i));
          }
          if (node == 1) {
            events.add(set(name, "a", stamp + 10, "own", number));
          }
          written.add(block("i", number, hlc(number * 100L), events));
        }
      }
      store.append(frames(written.toArray(new EncodedFrame[0]))).join();
      assertThat(store.seal(HlcTimestamp.MAX_PACKED)).isPositive();
      assertThat(store.figures().sealedBlockCount()).isGreaterThan(20);
      QueryEngine engine = new QueryEngine(new ScannedSource(store, false), QueryLimits.DEFAULT);
      String last =
          blocks(engine, "SELECT often, own FROM a ON TIME " + new HlcTimestamp(hlc(20_000)));
      assertThat(Integer.parseInt(last.split(" ", 2)[0])).as(last).isLessThan(6);
    }
  }

  private static EncodedFrame longBlock(int node, int number) {
    String name = "n" + node;
    long stamp = hlc(number * 100L - 50 - node);
    List<Event> events = new ArrayList<>();
    if (number == 1) {
      events.add(new Event(name, "", stamp, new EventBody.Start("i", stamp, "", Spill.COMPLETE)));
    }
    for (int i = 1; i < 10; i++) {
      events.add(set(name, "a", stamp + i, "often", 10 * number + i));
    }
    events.add(set(name, "a", stamp + 10, "same", 7));
    if (number == 2 && node == 1) {
      events.add(set(name, "a", stamp + 11, "once", 1));
    } else if (number == 50) {
      events.add(set(name, "a", stamp + 11, "gone", 1));
    } else if (number == 60) {
      Change unset = new Change(Operation.UNSET, "gone", Value.NullValue.NULL);
      events.add(new Event(name, "a", stamp + 11, new EventBody.StateChange(List.of(unset))));
    } else if (number == 150 && node == 3) {
      events.add(new Event(name, "", stamp + 11, new EventBody.Stop()));
    }
    return block("i", number, hlc(number * 100L), events);
  }

  @Test
  void missing_ofANodeThatStopped_doesNotDependOnEventsThatNoQueryFollows() {
    try (EventStore store = StoreFixture.open(directory)) {
      store.append(lines(set("n", "a", hlc(5), "x", 0))).join();
      store.append(lines(new Event("n", "", hlc(10), new EventBody.Stop()))).join();
      store.append(lines(set("n", "a", hlc(20), "unused", 1))).join();
      store.append(lines(set("m", "a", hlc(400_000), "x", 1))).join();

      Question question = new Question("SELECT x FROM a AT LIVE NODES", List.of());
      List<String> answer = question.answer(new ScannedSource(store, false));
      assertThat(answer).isEqualTo(question.answer(new ScannedSource(store, true)));
      Question atTheEnd =
          new Question(question.rql() + " ON TIME " + new HlcTimestamp(hlc(400_001)), List.of());
      answer = atTheEnd.answer(new ScannedSource(store, false));
      assertThat(answer).isEqualTo(atTheEnd.answer(new ScannedSource(store, true)));
      assertThat(answer.toString()).contains("{m=LongValue[value=1]}");
    }
  }

  @Test
  void rows_ofNodesThatWriteAgainAfterAStop_areThoseOfThePlainScan() {
    try (EventStore store = StoreFixture.open(directory)) {
      store.append(lines(set("n", "a", hlc(5), "x", 0), set("m", "a", hlc(5), "x", 1))).join();
      store.append(lines(new Event("n", "", hlc(10), new EventBody.Stop()))).join();
      store
          .append(
              lines(
                  new Event(
                      "n", "", hlc(20), new EventBody.Start("i", hlc(20), "", Spill.COMPLETE))))
          .join();
      store.append(lines(set("n", "a", hlc(30), "x", 7))).join();
      store.append(lines(new Event("o", "", hlc(10), new EventBody.Stop()))).join();
      for (int i = 1; i <= 8; i++) {
        store.append(lines(set("n", "a", hlc(i * 50_000L), "unused", i))).join();
        store.append(lines(set("o", "a", hlc(i * 50_000L), "unused", i))).join();
      }
      store.append(lines(set("o", "a", hlc(200_001), "x", 9))).join();
      store.append(lines(set("m", "a", hlc(300_000), "x", 2))).join();

      Question question = new Question("SELECT x, NODES FROM a AT LIVE NODES", List.of());
      List<String> answer = question.answer(new ScannedSource(store, false));
      assertThat(answer).isEqualTo(question.answer(new ScannedSource(store, true)));
      assertThat(answer)
          .filteredOn(row -> row.contains("00.300000Z"))
          .singleElement(as(STRING))
          .contains("n=LongValue[value=7], o=LongValue[value=9]}]", "StringValue[value=o]");
    }
  }

  @Test
  void rows_refusedEventRestsOnABlockThatWasPassed_areThoseOfThePlainScan() {
    try (EventStore store = StoreFixture.open(directory)) {
      EventBody refused =
          new EventBody.StateChange(
              List.of(
                  new Change(Operation.ADD, "s", Value.setOf(Value.of(9))),
                  new Change(Operation.SET, "x", Value.of(1))));
      store.append(lines(set("n", "a", hlc(5), "x", 0))).join();
      // It ends after the event that depends on it, so it is due, and skipped, before that event is
      // read.
      store.append(lines(set("n", "a", hlc(10), "s", 5), set("n", "a", hlc(50), "idle", 5))).join();
      store.append(lines(new Event("n", "a", hlc(20), refused))).join();
      store.append(lines(set("n", "a", hlc(55), "s", 6))).join();

      Question question =
          new Question("SELECT x, s FROM a ON TIME " + new HlcTimestamp(hlc(60)), List.of());
      List<String> answer = question.answer(new ScannedSource(store, false));
      assertThat(answer).isEqualTo(question.answer(new ScannedSource(store, true)));
      assertThat(firstRow(answer)).contains("{n=LongValue[value=0]}");
    }
  }

  @Test
  void rows_refusedEventIsInABlockThatWasLeft_areThoseOfThePlainScan() {
    try (EventStore store = StoreFixture.open(directory)) {
      Change addToX = new Change(Operation.ADD, "x", Value.setOf(Value.of(9)));
      Change addToS = new Change(Operation.ADD, "s", Value.setOf(Value.of(9)));
      Change setS = new Change(Operation.SET, "s", Value.of(5));
      Change setY = new Change(Operation.SET, "y", Value.of(1));
      store.append(lines(set("n", "a", hlc(3), "x", 0))).join();
      store.append(lines(set("n", "a", hlc(5), "y", 0))).join();
      // It is read because it ends before x and s are settled, and left in the rows of another
      // variable. Its first event is refused, because x is a number.
      List<Event> left = new ArrayList<>();
      left.add(new Event("n", "a", hlc(10), new EventBody.StateChange(List.of(addToX, setS))));
      for (int i = 25; i < 55; i++) {
        left.add(set("n", "a", hlc(i), "idle", i));
      }
      left.add(set("n", "a", hlc(58), "idle", 0));
      store.append(lines(left.toArray(new Event[0]))).join();
      // It rests on s, and is not refused, because the event before it is.
      EventBody accepted = new EventBody.StateChange(List.of(addToS, setY));
      store.append(lines(new Event("n", "a", hlc(20), accepted))).join();
      store.append(lines(set("n", "a", hlc(55), "s", 6), set("n", "a", hlc(56), "x", 2))).join();

      Question question =
          new Question("SELECT y, s, x FROM a ON TIME " + new HlcTimestamp(hlc(60)), List.of());
      List<String> answer = question.answer(new ScannedSource(store, false));
      assertThat(answer).isEqualTo(question.answer(new ScannedSource(store, true)));
      assertThat(firstRow(answer)).contains("{n=LongValue[value=1]}");
    }
  }

  /** The row of an answer of columns, one row, and that the events end before its cut. */
  private static String firstRow(List<String> answer) {
    assertThat(answer).hasSize(3);
    assertThat(answer.get(1)).startsWith("complete only up to ");
    return answer.get(2);
  }

  private static String blocks(QueryEngine engine, String rql) {
    Result result = new Result();
    engine.run(engine.prepare("EXPLAIN ANALYZE " + rql), result);
    String plan = String.join("", result.lines);
    return plan.replaceAll("(?s).*blocks: (\\d+ read, \\d+ skipped).*", "$1");
  }

  private void compare(int stores, int step) {
    long first = Long.getLong("retroscope.seed", 1);
    long end = Long.getLong("retroscope.seed") == null ? first + stores : first + 1;
    long read = 0;
    long readPlainly = 0;
    int questions = 0;
    int withRows = 0;
    for (long seed = first; seed < end; seed++) {
      RandomHistory history = new RandomHistory(new Random(seed));
      StoreOptions tinyCache = new StoreOptions(2_000, MemoryBudget.ofProcess(), 0);
      try (EventStore store =
          EventStore.open(directory.resolve("store" + seed), tinyCache, () -> NOW_MICROS)) {
        history.appendTo(store);
        ScannedSource plain = new ScannedSource(store, true);
        ScannedSource own = new ScannedSource(store, false);
        Random random = new Random(~seed);
        for (long start : each(step, history.stamps())) {
          Question question = Question.random(random, history.stamps(), start);
          List<String> expected = question.answer(plain);
          questions++;
          withRows += expected.stream().anyMatch(line -> line.startsWith("Row")) ? 1 : 0;
          assertThat(question.answer(own))
              .as("-Dretroscope.seed=%d: %s", seed, question)
              .isEqualTo(expected);
        }
        read += own.eventCount();
        readPlainly += plain.eventCount();
      }
    }
    assertThat(withRows).as("questions with rows").isGreaterThan(questions * 2 / 3);
    assertThat(read).as("events read").isLessThan(readPlainly / 2);
  }

  private static List<Long> each(int step, NavigableSet<Long> stamps) {
    List<Long> all = List.copyOf(stamps);
    return IntStream.range(0, all.size()).filter(i -> i % step == 0).mapToObj(all::get).toList();
  }

  /** Asks a store that seals blocks of a few rows at random moments, and one that never seals. */
  private void compareSealed(int stores, int step) {
    long first = Long.getLong("retroscope.seed", 1);
    long end = Long.getLong("retroscope.seed") == null ? first + stores : first + 1;
    long sealedBlocks = 0;
    for (long seed = first; seed < end; seed++) {
      Random random = new Random(~seed);
      RandomHistory history = new RandomHistory(new Random(seed), 3);
      StoreOptions options =
          new StoreOptions(seed % 2 == 0 ? 0 : 1 << 20, MemoryBudget.ofProcess(), 0);
      SealLimits few =
          new SealLimits(1 + random.nextInt(5), 1 + random.nextInt(60), 2 + random.nextInt(9));
      try (EventStore arrived =
              EventStore.open(directory.resolve("arrived" + seed), options, () -> NOW_MICROS);
          EventStore sealed =
              EventStore.open(
                  directory.resolve("sealed" + seed), options.sealingBy(few), () -> NOW_MICROS)) {
        history.appendTo(arrived, sealed);
        sealedBlocks += sealed.figures().sealedBlockCount();
        for (long start : each(step, history.stamps())) {
          Question question = Question.random(random, history.stamps(), start);
          assertThat(question.answer(new ScannedSource(sealed, false)))
              .as("-Dretroscope.seed=%d: %s", seed, question)
              .isEqualTo(question.answer(new ScannedSource(arrived, true)));
        }
      }
    }
    assertThat(sealedBlocks).isGreaterThan(5L * (end - first));
  }

  /**
   * A statement.
   *
   * @param watermarks the watermarks at which a STREAM is opened and continues; empty for others
   */
  private record Question(String rql, List<Long> watermarks) {
    static Question random(Random random, NavigableSet<Long> stamps, long start) {
      String query = QUERIES.get(random.nextInt(QUERIES.size()));
      List<Long> later = new ArrayList<>(stamps.tailSet(start));
      long end = later.get(random.nextInt(Math.min(30, later.size())));
      long from = start + random.nextInt(3) - 1;
      String point = " ON TIME " + new HlcTimestamp(from);
      if (random.nextInt(4) > 0) {
        String range = random.nextBoolean() ? "" : " TO " + new HlcTimestamp(Math.max(from, end));
        return new Question(query + point + range, List.of());
      }
      String stream = query.replace("SELECT", "SELECT STREAM");
      long opened = random.nextBoolean() ? from : end;
      long reached = Math.max(opened, later.get(random.nextInt(later.size())));
      return new Question(
          random.nextBoolean() ? stream : stream + point, List.of(opened, reached, reached + 1));
    }

    List<String> answer(ScannedSource source) {
      QueryLimits limits = new QueryLimits(1_000_000, 1_000_000, 100_000, 1_000, IDLE_MICROS);
      QueryEngine engine = new QueryEngine(source, limits);
      Result result = new Result();
      try {
        PreparedQuery query = engine.prepare(rql);
        if (watermarks.isEmpty()) {
          engine.run(query, result);
        } else {
          follow(engine, query, source, result);
        }
      } catch (RqlException e) {
        result.lines.add(e.diagnostics().get(0).message());
      }
      return result.lines;
    }

    private void follow(
        QueryEngine engine, PreparedQuery query, ScannedSource source, Result result) {
      LiveGroup group = engine.newLiveGroup();
      LiveStart start = LiveStart.at(watermarks.get(0));
      try (View view = source.open();
          LiveWalk walk = engine.openLive(query, view, start, result, group)) {
        for (long reached : watermarks) {
          group.advance(view, watermark(reached));
          if (walk.failure() != null) {
            throw walk.failure();
          }
        }
      }
    }

    private static Watermark watermark(long hlc) {
      return new Watermark(hlc, new TreeSet<>());
    }
  }

  private static final class Result implements RowSink {
    private final List<String> lines = new ArrayList<>();

    @Override
    public void columns(List<Column> columns) {
      lines.add(columns.toString());
    }

    @Override
    public boolean row(Row row) {
      return lines.add(row.toString());
    }

    @Override
    public void warning(String message) {
      lines.add(message);
    }
  }
}
