// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.Value;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.EventSource.View;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.InMemoryEventSource;
import io.retroscope.rql.cut.Incompleteness;
import io.retroscope.rql.cut.Slicing;
import io.retroscope.rql.diagnostic.RqlException;
import io.retroscope.rql.engine.QueryEngine;
import io.retroscope.rql.evaluation.QueryLimits;
import io.retroscope.server.align.AlignmentSettings;
import io.retroscope.server.align.ClockAlignment;
import io.retroscope.server.live.MonotonicClock;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests that events in several parts are answered as in one. */
class MergedViewTest {
  private static final PartThreads THREADS = new PartThreads();

  private static final int PARTS = 3;
  private static final int MORE_THAN_A_BLOCK = 5_000;

  @Test
  void goldenQueries_someInSmallPieces_haveTheSameAnswers() throws IOException {
    List<GoldenEvents> all = GoldenEvents.all();
    List<GoldenEvents> some =
        IntStream.range(0, all.size()).filter(i -> i % 5 == 0).mapToObj(all::get).toList();
    assertThat(assertSameAnswers(some, 2)).isGreaterThan(100);
  }

  @Tag("slow")
  @Test
  void goldenQueries_allInPiecesOfAnySize_haveTheSameAnswers() throws IOException {
    for (int size : new int[] {1, 3, 100}) {
      assertThat(assertSameAnswers(GoldenEvents.all(), size)).isGreaterThan(500);
    }
  }

  /** More events than a block holds have one stamp, in each part: the last write must win. */
  @Test
  void scan_eventsOfOneStampInTwoBlocks_keepTheirOrder() {
    List<Event> events = new ArrayList<>();
    for (int node = 0; node < PARTS; node++) {
      for (int value = 0; value < MORE_THAN_A_BLOCK; value++) {
        EventBody write =
            new EventBody.StateChange(
                List.of(new Change(Operation.SET, "x", Value.of((long) value))));
        events.add(
            new Event("n" + node, "vars", HlcTimestamp.pack(1_000), write).of("run of n" + node));
      }
    }

    String query = "SELECT x@n0, x@n1, x@n2 FROM vars WHEN COUNT(x) > 0;";

    assertThat(answer(() -> merged(events, 2), query))
        .isEqualTo(answer(new InMemoryEventSource(events, ClockOffsets.UNKNOWN), query))
        .last()
        .asString()
        .contains("[value=4999], LongValue[value=4999], LongValue[value=4999]");
  }

  /** Each log that is searched in vain takes requests to other servers. */
  @Test
  void mayHold_logOfNoPart_isFalse() {
    Change set = new Change(Operation.SET, "x", Value.of(1L));
    Event event =
        new Event("n", "vars", HlcTimestamp.pack(1_000), new EventBody.StateChange(List.of(set)));
    try (View view = merged(List.of(event), 1)) {
      assertThat(view.mayHold("vars")).isTrue();
      assertThat(view.mayHold("retroscope")).isFalse();
    }
  }

  /** Retention removes events from one partition a moment before another. */
  @Test
  void reasons_historiesBeginAtSeveralStamps_nameTheLatestOne() {
    List<PartView> parts =
        Stream.of(5L, 9L, 7L)
            .<PartView>map(
                hlc ->
                    new SentPart(
                        new StoredPart(
                            new OpenViews(),
                            () -> beginningAfter(hlc),
                            Optional::empty,
                            Optional.empty(),
                            CutPieces.EVENTS)))
            .toList();
    try (View view = new MergedView(THREADS, parts, ViewClocks.NONE)) {
      assertThat(view.reasons(HlcRange.ALL)).containsExactly(new Incompleteness.Removed(9));
    }
  }

  private static View beginningAfter(long hlc) {
    View view = new InMemoryEventSource(List.of(), ClockOffsets.UNKNOWN).open();
    return (View)
        Proxy.newProxyInstance(
            View.class.getClassLoader(),
            new Class<?>[] {View.class},
            (proxy, method, arguments) ->
                method.getName().equals("reasons")
                    ? List.of(new Incompleteness.Removed(hlc))
                    : method.invoke(view, arguments));
  }

  /** Returns the number of rows. */
  private static long assertSameAnswers(List<GoldenEvents> queries, int pieceEvents) {
    long rows = 0;
    for (GoldenEvents golden : queries) {
      List<Event> events =
          golden.events().stream().map(event -> event.of("run of " + event.node())).toList();
      EventSource whole = new InMemoryEventSource(events, ClockAlignment.of(events));
      List<String> expected = answer(whole, golden.query());
      assertThat(answer(() -> merged(events, pieceEvents), golden.query()))
          .as("%s, pieces of %d: %s", golden.title(), pieceEvents, golden.query())
          .isEqualTo(expected);
      rows += expected.stream().filter(line -> line.startsWith("row ")).count();
    }
    return rows;
  }

  static List<String> answer(EventSource source, String query) {
    try {
      return ClusterFixture.answer(new QueryEngine(source, QueryLimits.DEFAULT), query).stream()
          .filter(line -> !line.contains(" read, ") && !line.contains("in memory"))
          .toList();
    } catch (RqlException e) {
      return List.of(e.diagnostics().toString());
    }
  }

  /** The events in parts by node, each sent through bytes. */
  private static View merged(List<Event> events, int pieceEvents) {
    List<PartView> parts = new ArrayList<>();
    for (int i = 0; i < PARTS; i++) {
      int part = i;
      List<Event> own =
          events.stream()
              .filter(event -> Math.floorMod(event.node().hashCode(), PARTS) == part)
              .toList();
      parts.add(
          new SentPart(
              new StoredPart(
                  new OpenViews(),
                  () -> sliced(own),
                  Optional::empty,
                  Optional.of(evidence(own)),
                  pieceEvents)));
    }
    ClusterClocks clocks = new ClusterClocks(AlignmentSettings.DEFAULT, MonotonicClock.system());
    return new MergedView(THREADS, parts, clocks::of);
  }

  /** What a partition with these events knows of clocks. */
  private static PartitionEvidence evidence(List<Event> events) {
    PartitionEvidence evidence = new PartitionEvidence(events.hashCode(), MonotonicClock.system());
    evidence.read(
        () ->
            new StoredPart(
                new OpenViews(),
                () -> sliced(events),
                Optional::empty,
                Optional.empty(),
                CutPieces.EVENTS),
        () -> true);
    return evidence;
  }

  /** A view that can be opened again. */
  static View sliced(List<Event> events) {
    View view = new InMemoryEventSource(events, ClockOffsets.UNKNOWN).open();
    return sliced(view, new long[0], () -> sliced(events));
  }

  /** The same view with other slices. */
  static View sliced(View view, long[] borders, Supplier<View> another) {
    Slicing slicing =
        new Slicing() {
          @Override
          public long[] borders(Set<String> logs, HlcRange range, int most) {
            return Arrays.stream(borders)
                .filter(border -> border > range.from() && border <= range.to())
                .toArray();
          }

          @Override
          public List<Host> hosts() {
            return view instanceof Slicing own ? own.hosts() : List.of();
          }

          @Override
          public View another() {
            return another.get();
          }
        };
    return (View)
        Proxy.newProxyInstance(
            View.class.getClassLoader(),
            new Class<?>[] {View.class},
            (proxy, method, arguments) -> {
              try {
                return method.getName().equals("slicing")
                    ? Optional.of(slicing)
                    : method.invoke(view, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }
}
