package io.retroscope.rql.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.EventBody.StateChange;
import io.retroscope.event.Value;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.InMemoryEventSource;
import io.retroscope.rql.evaluation.QueryLimits;
import io.retroscope.rql.oracle.SlicedSource;
import io.retroscope.rql.plan.QueryPlan;
import io.retroscope.rql.plan.TimeWindow;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** Tests the limits of walks in slices: of memory, of threads, and when nobody wants more rows. */
class SlicedHistoryTest {
  private static final int EVENTS = 4_000;
  private static final int TEXT_LENGTH = 5_000;
  private static final int THREADS = 3;

  private final SliceHelpers helpers = new SliceHelpers(THREADS);

  @Test
  void walk_ofMoreRowsThanMayWait_isInOrderAndWithinTheLimit() {
    Rows rows = new Rows(Integer.MAX_VALUE);
    QueryWalk walk = walk("SELECT a FROM t WHEN COUNT(a) > 0;", rows);
    assertThat(rows.stamps).hasSize(EVENTS).isSorted();
    assertThat(walk.mostWaitingBytes())
        .isPositive()
        .isLessThan(
            SlicedHistory.MAX_WAITING_BYTES
                + SlicedHistory.MIN_WAITING_BYTES
                + THREADS * 2 * SliceFeed.MAX_BATCH_BYTES);
    assertThat(helpers.walking()).isZero();
  }

  @Test
  void walk_whoseReceiverWantsNoMore_endsAllThreads() {
    Rows rows = new Rows(7);
    QueryWalk walk = walk("SELECT a FROM t WHEN COUNT(a) > 0;", rows);
    assertThat(rows.stamps).hasSize(7);
    assertThat(helpers.walking()).isZero();
    assertThat(walk.figures().cuts()).isLessThan(EVENTS);
  }

  @Test
  void walk_withALimit_endsAllThreadsAfterIt() {
    Rows rows = new Rows(Integer.MAX_VALUE);
    QueryWalk walk = walk("SELECT a FROM t WHEN COUNT(a) > 0 LIMIT 9;", rows);
    assertThat(rows.stamps).hasSize(9);
    assertThat(helpers.walking()).isZero();
    assertThat(walk.figures().cuts()).isLessThan(EVENTS);
  }

  @Test
  void tryStart_whileEnoughThreadsWalk_refuses() throws InterruptedException {
    CountDownLatch end = new CountDownLatch(1);
    helpers.enter();
    assertThat(helpers.tryStart(() -> await(end))).isTrue();
    helpers.enter();
    assertThat(helpers.tryStart(() -> await(end))).isFalse();
    assertThat(helpers.areTooMany()).isFalse();
    helpers.enter();
    assertThat(helpers.areTooMany()).isTrue();
    end.countDown();
  }

  private static void await(CountDownLatch end) {
    try {
      end.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private QueryWalk walk(String text, RowSink sink) {
    List<Event> events = new ArrayList<>();
    for (int i = 0; i < EVENTS; i++) {
      Change set = new Change(Operation.SET, "a", Value.of("x".repeat(TEXT_LENGTH) + i));
      events.add(new Event("n1", "t", HlcTimestamp.pack(1_000 + i), new StateChange(List.of(set))));
    }
    EventSource memory = new InMemoryEventSource(events, ClockOffsets.UNKNOWN);
    EventSource source = new SlicedSource(memory, events, new Random(1));
    PreparedQuery query = new QueryEngine(source, QueryLimits.DEFAULT).prepare(text);
    try (EventSource.View view = source.open()) {
      TimeWindow window = new TimeWindow(view.extent().orElseThrow(), false);
      QueryPlan plan =
          QueryPlan.overHistory(
              text, query.selection().walk(), QueryLimits.DEFAULT, Optional.of(window));
      return QueryWalk.overHistory(plan, QueryLimits.DEFAULT, view, sink, helpers);
    }
  }

  /** Keeps the stamps of a number of rows, the first of which takes a while. */
  private static final class Rows implements RowSink {
    private final int wanted;
    private final List<Long> stamps = new ArrayList<>();

    Rows(int wanted) {
      this.wanted = wanted;
    }

    @Override
    public void columns(List<Column> columns) {}

    @Override
    public boolean row(Row row) {
      if (stamps.isEmpty()) {
        pause();
      }
      stamps.add(row.hlc());
      return stamps.size() < wanted;
    }

    private static void pause() {
      try {
        Thread.sleep(300);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }

    @Override
    public void warning(String message) {}
  }
}
