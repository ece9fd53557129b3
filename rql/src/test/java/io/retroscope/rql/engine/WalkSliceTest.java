// SPDX-License-Identifier: Apache-2.0
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
import io.retroscope.rql.oracle.SentSlices;
import io.retroscope.rql.oracle.SlicedSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Tests which slices an engine walks for a query of another process. */
class WalkSliceTest {
  private static final int EVENTS = 50;
  private static final String QUERY = "SELECT * FROM l WHEN COUNT(x) > 0;";

  private final List<Event> events =
      IntStream.range(1, EVENTS).mapToObj(i -> event(i, "x")).toList();

  private int viewsHere;

  private static Event event(int i, String variable) {
    Change change = new Change(Operation.SET, variable, Value.of(i));
    return new Event("n", "l", HlcTimestamp.pack(10L * i), new StateChange(List.of(change)));
  }

  private static EventSource source(List<Event> events) {
    return new InMemoryEventSource(events, ClockOffsets.UNKNOWN);
  }

  private static List<String> answer(EventSource source) {
    QueryEngine engine = new QueryEngine(source, QueryLimits.DEFAULT);
    List<String> answer = new ArrayList<>();
    engine.run(
        engine.prepare(QUERY),
        new RowSink() {
          @Override
          public void columns(List<Column> columns) {
            answer.add(columns.toString());
          }

          @Override
          public boolean row(Row row) {
            return answer.add(row.toString());
          }

          @Override
          public void warning(String message) {
            answer.add(message);
          }
        });
    return answer;
  }

  /** The query's own thread would walk all slices before another one begins. */
  private static void await(CountDownLatch asked) {
    try {
      assertThat(asked.await(60, TimeUnit.SECONDS)).as("the other process is asked").isTrue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Asks a process with some events for slices; returns the number of its answers. */
  private int answersOf(List<Event> known) {
    List<Long> borders = List.of(HlcTimestamp.pack(200), HlcTimestamp.pack(300));
    CountDownLatch asked = new CountDownLatch(1);
    SlicedSource sliced = new SlicedSource(source(events), borders, () -> {}, from -> await(asked));
    QueryEngine there = new QueryEngine(source(known), QueryLimits.DEFAULT);
    SentSlices host = new SentSlices(there, source(known), new Random(1), false);
    sliced.add(
        request -> {
          asked.countDown();
          return host.walk(request);
        });
    assertThat(answer(sliced)).isEqualTo(answer(source(events))).hasSize(EVENTS);
    viewsHere = sliced.others();
    return host.whole();
  }

  /** Whatever becomes of its connection afterwards. */
  @Test
  void walk_withTheSameVariables_isAnsweredAndNotWalkedHereToo() {
    assertThat(answersOf(events)).isPositive();
    assertThat(viewsHere).as("views of other threads here").isZero();
  }

  /** An event that arrived since gives {@code *} another column. */
  @Test
  void walk_withAnotherVariable_isRefused() {
    List<Event> more = new ArrayList<>(events);
    more.add(event(EVENTS, "y"));
    assertThat(answersOf(more)).isZero();
    assertThat(viewsHere).as("views of other threads here").isPositive();
  }
}
