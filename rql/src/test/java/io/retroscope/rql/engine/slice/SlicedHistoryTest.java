// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine.slice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.EventBody.StateChange;
import io.retroscope.event.EventMark;
import io.retroscope.event.Value;
import io.retroscope.rql.analysis.AnalyzedQuery;
import io.retroscope.rql.analysis.Analyzer;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.ast.Statement;
import io.retroscope.rql.cut.Catalog;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.InMemoryEventSource;
import io.retroscope.rql.engine.EngineRules;
import io.retroscope.rql.engine.QueryEngine;
import io.retroscope.rql.engine.walk.QueryWalk;
import io.retroscope.rql.evaluation.QueryLimits;
import io.retroscope.rql.golden.EventNotation;
import io.retroscope.rql.oracle.SlicedSource;
import io.retroscope.rql.parser.RqlParser;
import io.retroscope.rql.plan.BoundPlan;
import io.retroscope.rql.plan.QueryPlan;
import io.retroscope.rql.plan.TimeWindow;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.function.LongConsumer;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Tests walks in slices: their limits of memory and threads, and their ends by LIMIT, the receiver,
 * cancellation and failures.
 */
@Timeout(60)
class SlicedHistoryTest {
  private static final int EVENTS = 4_000;
  private static final int SLICES = 8;
  private static final int TEXT_LENGTH = 5_000;
  private static final int THREADS = 3;
  private static final String EACH_CUT = "SELECT a FROM t WHEN COUNT(a) > 0;";

  private final PromptHelpers helpers = new PromptHelpers();
  private Runnable beforeAnother = () -> {};
  private LongConsumer beforeScan = from -> {};
  private Set<EventMark> marks = Set.of();

  @Test
  void walk_ofMoreRowsThanMayWait_isInOrderAndWithinTheLimit() {
    Rows rows = new Rows(Integer.MAX_VALUE);
    rows.atFirst = helpers::awaitWaiting;
    QueryWalk walk = walk(EACH_CUT, rows);
    assertThat(rows.stamps).hasSize(EVENTS).isSorted().doesNotHaveDuplicates();
    assertThat(walk.mostWaitingBytes())
        .isGreaterThan(SliceQueue.MAX_WAITING_BYTES - THREADS * 2 * SliceFeed.MAX_BATCH_BYTES)
        .isLessThan(
            SliceQueue.MAX_WAITING_BYTES
                + SliceQueue.MIN_WAITING_BYTES
                + THREADS * 2 * SliceFeed.MAX_BATCH_BYTES);
    assertThat(walk.slicesByHelpers()).isBetween(THREADS - 1, SLICES - 1);
    assertThat(helpers.walking()).isZero();
  }

  @Test
  void walk_whoseReceiverWantsNoMore_endsAllThreads() {
    Rows rows = new Rows(7);
    rows.atFirst = helpers::awaitWaiting;
    QueryWalk walk = walk(EACH_CUT, rows);
    assertThat(rows.stamps).hasSize(7);
    assertThat(helpers.walking()).isZero();
    assertThat(walk.figures().cuts()).isLessThan(EVENTS);
  }

  @Test
  void walk_withALimit_endsAllThreadsAfterIt() {
    Rows rows = new Rows(Integer.MAX_VALUE);
    rows.atFirst = helpers::awaitWaiting;
    QueryWalk walk = walk("SELECT a FROM t WHEN COUNT(a) > 0 LIMIT 9;", rows);
    assertThat(rows.stamps).hasSize(9);
    assertThat(helpers.walking()).isZero();
    assertThat(walk.figures().cuts()).isLessThan(EVENTS);
  }

  @Test
  void walk_cancelledWhileItWaitsForAHelper_ends() {
    Rows rows = new Rows(Integer.MAX_VALUE);
    rows.checksUntilCancelled = 200;
    beforeAnother = () -> await(rows.cancelled);
    walk(EACH_CUT, rows);
    assertThat(rows.stamps).as("rows of the first slice").hasSize(EVENTS / SLICES);
    assertThat(helpers.walking()).isZero();
  }

  @Test
  void walk_cancelledInItsFirstSlice_walksNoOther() {
    Rows rows = new Rows(Integer.MAX_VALUE);
    rows.checksUntilCancelled = 1;
    Thread query = Thread.currentThread();
    beforeAnother = () -> awaitIn(query, "awaitHelpers", "awaitNanos");
    QueryWalk walk = walk("SELECT a FROM t WHEN COUNT(a) > 1;", rows);
    assertThat(rows.cancelled.getCount()).isZero();
    assertThat(walk.figures().cuts()).isLessThanOrEqualTo(EVENTS / SLICES);
    assertThat(helpers.walking()).isZero();
  }

  @Test
  void walk_inWhichTheQuerysThreadFails_failsAfterTheRowsOfEarlierSlices() {
    Thread query = Thread.currentThread();
    CountDownLatch failed = new CountDownLatch(1);
    beforeAnother = () -> await(failed);
    beforeScan =
        from -> {
          if (Thread.currentThread() == query && from > HlcTimestamp.pack(1_000)) {
            failed.countDown();
            throw new IllegalStateException("no such block");
          }
        };
    Rows rows = new Rows(Integer.MAX_VALUE);
    assertThatThrownBy(() -> walk(EACH_CUT, rows)).hasMessage("no such block");
    assertThat(rows.stamps).hasSize(THREADS * EVENTS / SLICES);
  }

  @Test
  void walk_inWhichAHelperFails_failsAfterTheRowsOfEarlierSlices() {
    beforeAnother = SlicedHistoryTest::fail;
    Rows rows = new Rows(Integer.MAX_VALUE);
    assertThatThrownBy(() -> walk(EACH_CUT, rows)).hasMessage("no other view");
    assertThat(rows.stamps).hasSize(EVENTS / SLICES);
    assertThat(helpers.walking()).isZero();
  }

  @Test
  void walk_thatEndsBeforeTheSliceOfAHelperThatFails_doesNotFail() {
    beforeAnother = SlicedHistoryTest::fail;
    Rows rows = new Rows(Integer.MAX_VALUE);
    walk("SELECT a FROM t WHEN COUNT(a) > 0 LIMIT 500;", rows);
    assertThat(rows.stamps).hasSize(EVENTS / SLICES);
  }

  @Test
  void walk_whileTooManyThreadsWalk_losesItsHelpersAfterASlice() {
    beforeAnother =
        () -> {
          for (int i = 0; i < THREADS; i++) {
            helpers.enter();
          }
        };
    Rows rows = new Rows(Integer.MAX_VALUE);
    QueryWalk walk = walk(EACH_CUT, rows);
    assertThat(rows.stamps).hasSize(EVENTS);
    assertThat(walk.slicesByHelpers()).isBetween(1, THREADS - 1);
  }

  @Test
  void walk_ofEventsWithMarksInAllSlices_warnsOnce() {
    marks = Set.of(EventMark.REPAIR);
    Rows rows = new Rows(Integer.MAX_VALUE);
    walk(EACH_CUT, rows);
    assertThat(rows.warnings)
        .singleElement()
        .asString()
        .contains("the event at hlc'1000.0' repeats a value that was dropped");
  }

  @Test
  void walk_ofSeveralRowsAtOneStamp_numbersThem() {
    List<String> log = List.of("1ms a app x=1", "2ms a app say \"late\"", "3ms a app x=2");
    EventSource source = EventNotation.read(log).source();
    List<Integer> ordinals = new ArrayList<>();
    Rows rows =
        new Rows(Integer.MAX_VALUE) {
          @Override
          public boolean row(Row row) {
            return ordinals.add(row.ordinal());
          }
        };
    List<Long> borders = List.of(HlcTimestamp.pack(2_000));
    EventSource sliced = new SlicedSource(source, borders, () -> {}, from -> {});
    QueryEngine engine = EngineRules.by(new QueryEngine(sliced, QueryLimits.DEFAULT), helpers);
    engine.run(engine.prepare("SELECT message FROM app WHEN COUNT(message) = 1 EMIT EDGES;"), rows);
    assertThat(ordinals).containsExactly(0, 1);
  }

  @Test
  void tryStart_whileEnoughThreadsWalk_refuses() {
    CountDownLatch end = new CountDownLatch(1);
    Runnable task =
        () -> {
          helpers.claimed();
          await(end);
        };
    helpers.enter();
    assertThat(helpers.tryStart(task, () -> {})).isTrue();
    assertThat(helpers.areTooMany()).isFalse();
    helpers.enter();
    assertThat(helpers.tryStart(task, () -> {})).isFalse();
    assertThat(helpers.areTooMany()).isFalse();
    helpers.enter();
    assertThat(helpers.areTooMany()).isTrue();
    assertThat(helpers.threads.get(0).getName()).startsWith("query-slices-");
    assertThat(helpers.threads.get(0).isDaemon()).isTrue();
    end.countDown();
  }

  @Test
  void walk_withAGlobalName_keepsItsValueAcrossBorders() {
    Rows rows = new Rows(Integer.MAX_VALUE);
    QueryWalk walk =
        walk(
            "SELECT g FROM t COMPUTE GLOBAL g AND COUNT(a) > 0 AND g := Coalesce(g, 0) + 1;", rows);
    assertThat(rows.last).endsWith(Value.of((long) EVENTS));
    assertThat(walk.slicesByHelpers()).isZero();
  }

  @Test
  void explain_ofQueriesThatAreNotSplit_namesTheReason() {
    assertThat(plan("SELECT STREAM a FROM t ON TIME LAST 1ms"))
        .contains("walk one time slice", ", then live");
    String why = "cannot be split into slices: ";
    assertThat(plan("SELECT g FROM t COMPUTE GLOBAL g AND g := 1"))
        .contains("walk one time slice", why + "GLOBAL keeps its value");
    assertThat(plan("SELECT a FROM t AT LIVE NODES"))
        .contains("walk one time slice", why + "AT LIVE NODES depends on");
    assertThat(plan("SELECT a FROM t WHEN MAX(Age(a)) > 4ms"))
        .contains("walk one time slice", why + "an age");
    assertThat(plan("SELECT NAME(v) FROM t FOR EACH VARIABLE v"))
        .contains("walk one time slice", why + "FOR EACH makes");
  }

  @Test
  void explain_ofAQueryThatIsSplit_namesTheSlicesAndThoseOfHelpers() {
    assertThat(plan("SELECT a FROM t")).contains("walk 8 time slices, ", "by up to 3 threads");
    assertThat(plan("ANALYZE SELECT a FROM t WHEN COUNT(a) > 1"))
        .contains("slices walked by other threads: ", "cuts: " + EVENTS + "]");
  }

  private String plan(String query) {
    List<String> plan = new ArrayList<>();
    RowSink sink =
        new Rows(Integer.MAX_VALUE) {
          @Override
          public boolean row(Row row) {
            return plan.add(row.values().toString());
          }
        };
    QueryEngine engine = EngineRules.by(new QueryEngine(source(), QueryLimits.DEFAULT), helpers);
    engine.run(engine.prepare("EXPLAIN " + query + ";"), sink);
    return plan.toString();
  }

  private static void fail() {
    throw new IllegalStateException("no other view");
  }

  private static void await(CountDownLatch end) {
    try {
      end.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private EventSource source() {
    List<Event> events = new ArrayList<>();
    for (int i = 0; i < EVENTS; i++) {
      Change set = new Change(Operation.SET, "a", Value.of("x".repeat(TEXT_LENGTH) + i));
      events.add(
          new Event(
              "n1",
              "t",
              HlcTimestamp.pack(1_000 + i),
              Event.NO_PHYSICAL,
              Event.NO_SEQUENCE,
              marks,
              new StateChange(List.of(set))));
    }
    List<Long> borders =
        LongStream.range(1, SLICES)
            .mapToObj(i -> HlcTimestamp.pack(1_000 + i * EVENTS / SLICES))
            .toList();
    EventSource memory = new InMemoryEventSource(events, ClockOffsets.UNKNOWN);
    Runnable whenClaimed =
        () -> {
          helpers.claimed();
          beforeAnother.run();
        };
    return new SlicedSource(memory, borders, whenClaimed, from -> beforeScan.accept(from));
  }

  private QueryWalk walk(String text, RowSink sink) {
    EventSource source = source();
    Statement.Query query = (Statement.Query) new RqlParser().read(text).statement().orElseThrow();
    try (EventSource.View view = source.open()) {
      TimeWindow window = new TimeWindow(view.extent().orElseThrow(), false);
      AnalyzedQuery analyzed =
          new Analyzer(Catalog.of(view), QueryLimits.DEFAULT.analysis()).analyze(text, query);
      BoundPlan plan =
          QueryPlan.overHistory(text, analyzed, Optional.of(window)).bind(QueryLimits.DEFAULT);
      QueryWalk walk = new QueryWalk(plan, QueryLimits.DEFAULT, Optional.empty(), sink, null);
      walk.overHistory(QueryLimits.DEFAULT, view, helpers);
      return walk;
    }
  }

  /** Helpers each of which has a slice before the query's own thread walks on. */
  private static final class PromptHelpers extends SliceThreads {
    private static final ThreadLocal<CountDownLatch> OWN = new ThreadLocal<>();

    private final List<Thread> threads = new ArrayList<>();

    PromptHelpers() {
      super(THREADS);
    }

    @Override
    boolean tryStart(Runnable task, Runnable whenLeft) {
      CountDownLatch claimed = new CountDownLatch(1);
      boolean started =
          super.tryStart(
              () -> {
                threads.add(Thread.currentThread());
                OWN.set(claimed);
                try {
                  task.run();
                } finally {
                  claimed.countDown(); // It may have found no slice.
                }
              },
              whenLeft);
      if (started) {
        await(claimed);
      }
      return started;
    }

    /** Records that the present thread has claimed a slice, if it is one of the helpers. */
    void claimed() {
      CountDownLatch latch = OWN.get();
      if (latch != null) {
        latch.countDown();
      }
    }

    private static void await(CountDownLatch claimed) {
      SlicedHistoryTest.await(claimed);
    }

    /** Waits until all helpers have reached the limit of memory. */
    void awaitWaiting() {
      assertThat(threads).hasSize(THREADS - 1);
      for (Thread helper : threads) {
        awaitIn(helper, "putWhenRoom", "awaitUninterruptibly");
      }
    }
  }

  /** Waits until a thread has called several methods. */
  private static void awaitIn(Thread thread, String... called) {
    boolean isThere = false;
    while (!isThere) {
      List<String> methods =
          Stream.of(thread.getStackTrace()).map(StackTraceElement::getMethodName).toList();
      isThere = methods.containsAll(List.of(called));
    }
  }

  /** Keeps the stamps of a number of rows. */
  private static class Rows implements RowSink {
    private final int wanted;
    private final List<Long> stamps = new ArrayList<>();
    private final List<String> warnings = new ArrayList<>();
    private List<Value> last = List.of();
    private final CountDownLatch cancelled = new CountDownLatch(1);
    private Runnable atFirst = () -> {};
    private int checksUntilCancelled = Integer.MAX_VALUE;

    Rows(int wanted) {
      this.wanted = wanted;
    }

    @Override
    public void columns(List<Column> columns) {}

    @Override
    public boolean row(Row row) {
      if (stamps.isEmpty()) {
        atFirst.run();
      }
      stamps.add(row.hlc());
      last = row.values();
      return stamps.size() < wanted;
    }

    @Override
    public void warning(String message) {
      warnings.add(message);
    }

    @Override
    public boolean cancelled() {
      boolean isCancelled = --checksUntilCancelled <= 0;
      if (isCancelled) {
        cancelled.countDown();
      }
      return isCancelled;
    }
  }
}
