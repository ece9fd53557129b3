// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
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
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
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
    EventBody body = new StateChange(List.of(change));
    return new Event(
        "n", "l", HlcTimestamp.pack(10L * i), 10L * i, Event.NO_SEQUENCE, Set.of(), body);
  }

  /** The process of the query knows the clocks; those that walk slices for it do not. */
  private static EventSource aligned(List<Event> events) {
    return new InMemoryEventSource(
        events,
        new ClockOffsets() {
          @Override
          public Optional<String> referenceNode() {
            return Optional.of("driver");
          }

          @Override
          public Optional<Offset> offset(String node, long hlc) {
            return Optional.of(new Offset(5, OptionalLong.of(3), OptionalLong.of(7)));
          }
        });
  }

  private static EventSource source(List<Event> events) {
    return new InMemoryEventSource(events, ClockOffsets.UNKNOWN);
  }

  private static List<String> answer(EventSource source, String query) {
    QueryEngine engine = new QueryEngine(source, QueryLimits.DEFAULT);
    List<String> answer = new ArrayList<>();
    engine.run(
        engine.prepare(query),
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

  /** Another process with some events. */
  private static SentSlices host(List<Event> known) {
    QueryEngine there = new QueryEngine(source(known), QueryLimits.DEFAULT);
    return new SentSlices(there, source(known), new Random(1), false);
  }

  /** All events in three slices, some of which another process may walk. */
  private SlicedSource sliced(SentSlices host, CountDownLatch asked) {
    List<Long> borders = List.of(HlcTimestamp.pack(200), HlcTimestamp.pack(300));
    SlicedSource sliced =
        new SlicedSource(aligned(events), borders, () -> {}, from -> await(asked));
    sliced.add(
        request -> {
          asked.countDown();
          return host.walk(request);
        });
    return sliced;
  }

  /** Requests slices of a process with some events; returns the number of its answers. */
  private int answersOf(List<Event> known, String query) {
    SentSlices host = host(known);
    SlicedSource sliced = sliced(host, new CountDownLatch(query.equals(QUERY) ? 1 : 0));
    assertThat(answer(sliced, query)).isEqualTo(answer(aligned(events), query)).hasSize(EVENTS);
    viewsHere = sliced.others();
    return host.whole();
  }

  /** Whatever becomes of its connection afterwards. */
  @Test
  void walk_withTheSameVariables_isAnsweredAndNotWalkedHereToo() {
    assertThat(answersOf(events, QUERY)).isPositive();
    assertThat(viewsHere).as("views of other threads here").isZero();
  }

  @Test
  void walk_elsewhere_addsItsCostToThatOfTheQuery() {
    SlicedSource sliced = sliced(host(events), new CountDownLatch(1));
    assertThat(answer(sliced, "EXPLAIN ANALYZE " + QUERY))
        .anyMatch(row -> row.contains("of these, at other servers: "))
        .anyMatch(row -> row.contains("=cuts: " + events.size() + "]"));
  }

  /** An event that arrived since gives {@code *} another column. */
  @Test
  void walk_withAnotherVariable_isRefused() {
    List<Event> more = new ArrayList<>(events);
    more.add(event(EVENTS, "y"));
    assertThat(answersOf(more, QUERY)).isZero();
    assertThat(viewsHere).as("views of other threads here").isPositive();
  }

  /** Times in expressions need the clocks that the process of the query knows. */
  @Test
  void walk_withTimesOfClocks_isNotAskedFor() {
    assertThat(answersOf(events, "SELECT x, WallTime() FROM l WHEN COUNT(x) > 0;")).isZero();
  }

  @Test
  void walk_thatEndsDuringAnAnswer_closesIt() {
    UnendingAnswer unending = new UnendingAnswer();
    List<Long> borders = List.of(HlcTimestamp.pack(200), HlcTimestamp.pack(300));
    SlicedSource sliced =
        new SlicedSource(source(events), borders, () -> {}, from -> await(unending.reading));
    sliced.add(request -> unending);
    String query = QUERY.replace(";", " LIMIT 1;");
    assertThat(answer(sliced, query)).isEqualTo(answer(source(events), query));
    assertThat(unending.isClosedInTime).isTrue();
  }

  /** An answer whose reader ignores interrupts, as that of Java's HTTP client does. */
  private static final class UnendingAnswer extends InputStream {
    private final CountDownLatch reading = new CountDownLatch(1);
    private final CountDownLatch closed = new CountDownLatch(1);
    private volatile boolean isClosedInTime;

    @Override
    public int read() {
      reading.countDown();
      while (true) {
        try {
          isClosedInTime = closed.await(20, TimeUnit.SECONDS);
          return -1;
        } catch (InterruptedException e) {
          // The wait begins again.
        }
      }
    }

    @Override
    public void close() {
      closed.countDown();
    }
  }
}
