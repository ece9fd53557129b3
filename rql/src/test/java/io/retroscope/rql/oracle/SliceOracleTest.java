// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.oracle;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.diagnostic.RqlException;
import io.retroscope.rql.engine.EngineRules;
import io.retroscope.rql.engine.Present;
import io.retroscope.rql.engine.QueryEngine;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Tests that the walk in slices by several threads changes no row, warning or error, for generated
 * queries of all kinds, with borders anywhere. {@code -Doracle.seed} replays one case, {@code
 * -Doracle.from} and {@code -Doracle.cases} run others.
 */
class SliceOracleTest {
  private static final long YEAR_2026_MICROS = 1_780_000_000_000_000L;

  @Test
  void answers_ofWalksInSlices_areThoseOfOneSlice() {
    compare(250);
  }

  @Test
  @Tag("slow")
  void answers_ofVeryManyWalksInSlices_areThoseOfOneSlice() {
    compare(Integer.getInteger("oracle.cases", 200_000));
  }

  private static void compare(int cases) {
    Long one = Long.getLong("oracle.seed");
    long from = one == null ? Long.getLong("oracle.from", 0) : one;
    int byOthers = 0;
    int withRows = 0;
    int withSilence = 0;
    int preliminary = 0;
    int elsewhere = 0;
    int broken = 0;
    for (long seed = from; seed < from + (one == null ? cases : 1); seed++) {
      Random random = new Random(seed);
      boolean isAny = random.nextInt(3) == 0;
      List<Event> events = isAny ? new RandomLog(random).events() : QuietRuleTest.events(random);
      if (random.nextInt(3) == 0) {
        events = withHeartbeats(events, random);
      }
      String text = isAny ? new RandomQuery(random).text(false) : QuietRuleTest.query(random);
      EventSource memory = OracleTest.source(events);
      try {
        OracleTest.engine(events).prepare(text);
      } catch (RqlException e) {
        continue; // The analyzer refuses it.
      }
      EventSource source = random.nextBoolean() ? memory : new SealedSource(memory, events, random);
      SlicedSource sliced = new SlicedSource(source, events, random);
      Random ofHosts = new Random(0x9e3779b97f4a7c15L * (seed + 1));
      List<SentSlices> hosts = new ArrayList<>();
      for (int host = ofHosts.nextInt(4); host > 1; host--) {
        QueryEngine there = new QueryEngine(source, OracleTest.LIMITS);
        hosts.add(
            new SentSlices(there, source, new Random(ofHosts.nextLong()), ofHosts.nextBoolean()));
      }
      hosts.forEach(sliced::add);
      Optional<Present> present = present(events, random);
      int wanted = random.nextInt(4) == 0 ? 1 + random.nextInt(4) : Integer.MAX_VALUE;
      QueryEngine engine = EngineRules.inSlices(engine(sliced, present), random);
      if (random.nextInt(4) == 0) {
        engine = EngineRules.off(engine);
      }
      QueryEngine undivided = EngineRules.inOneSlice(engine(source, present));
      List<String> expected = answer(undivided, text, wanted);
      assertThat(answer(engine, text, wanted))
          .as("-Doracle.seed=%d: %d rows of %s%nover %s", seed, wanted, text, events)
          .isEqualTo(expected);
      assertThat(sliced.openViews()).as("-Doracle.seed=%d: open views", seed).isZero();
      withSilence += expected.toString().contains(" silent ") ? 1 : 0;
      preliminary += expected.toString().contains(" preliminary") ? 1 : 0;
      byOthers += sliced.others() > 0 ? 1 : 0;
      elsewhere += hosts.stream().mapToInt(SentSlices::whole).sum();
      broken += hosts.stream().mapToInt(SentSlices::broken).sum();
      withRows += expected.toString().contains("Row[") ? 1 : 0;
    }
    if (one == null) {
      assertThat(byOthers).as("queries of which other threads walked slices").isPositive();
      assertThat(elsewhere).as("slices that another engine walked").isPositive();
      assertThat(broken).as("answers that broke off").isPositive();
      assertThat(withSilence).as("answers that name a silent node").isGreaterThan(cases / 100);
      assertThat(preliminary).as("answers with preliminary cuts").isGreaterThan(cases / 100);
      assertThat(withRows).as("queries with rows").isGreaterThan(cases / 4);
    }
  }

  /** The present of a server whose history is complete up to some event; empty for a file. */
  private static Optional<Present> present(List<Event> events, Random random) {
    if (random.nextInt(3) > 0) {
      return Optional.empty();
    }
    long complete = events.get(random.nextInt(events.size())).hlc();
    long nowMicros = HlcTimestamp.micros(events.get(events.size() - 1).hlc());
    return Optional.of(
        new Present() {
          @Override
          public long nowMicros() {
            return nowMicros;
          }

          @Override
          public long completeHlc() {
            return complete;
          }
        });
  }

  private static QueryEngine engine(EventSource source, Optional<Present> present) {
    return present
        .map(now -> new QueryEngine(source, OracleTest.LIMITS, now, node -> List.of()))
        .orElseGet(() -> new QueryEngine(source, OracleTest.LIMITS));
  }

  /** The wanted rows with all their parts, the warnings and the error, in order. */
  private static List<String> answer(QueryEngine engine, String text, int wanted) {
    List<String> answer = new ArrayList<>();
    try {
      engine.run(
          engine.prepare(text),
          new RowSink() {
            private int rows;

            @Override
            public void columns(List<Column> columns) {
              answer.add(columns.toString());
            }

            @Override
            public boolean row(Row row) {
              answer.add(row.toString());
              return ++rows < wanted;
            }

            @Override
            public void warning(String message) {
              answer.add("warning: " + message);
            }
          });
    } catch (RqlException e) {
      answer.add("error: " + e.diagnostics());
    }
    return answer;
  }

  /** Returns the events at a later time, with heartbeats that promise the next one soon. */
  private static List<Event> withHeartbeats(List<Event> events, Random random) {
    List<Event> all = new ArrayList<>();
    for (Event event : events) {
      long micros = YEAR_2026_MICROS + HlcTimestamp.micros(event.hlc());
      long hlc = HlcTimestamp.pack(micros, HlcTimestamp.logical(event.hlc()));
      all.add(new Event(event.node(), event.log(), hlc, event.body()));
      boolean beats = !event.node().equals("n2") || random.nextInt(4) == 0;
      if (beats && all.size() < 60) {
        long later = HlcTimestamp.pack(micros, HlcTimestamp.MAX_LOGICAL);
        long promise = 1L + random.nextInt(3);
        all.add(new Event(event.node(), "", later, new EventBody.Heartbeat(promise)));
      }
    }
    all.sort(Comparator.comparingLong(Event::hlc));
    return all;
  }
}
