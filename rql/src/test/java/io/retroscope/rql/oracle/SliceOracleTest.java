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
import io.retroscope.rql.engine.QueryEngine;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
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
    compare(600);
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
      QueryEngine engine = EngineRules.inSlices(new QueryEngine(sliced, OracleTest.LIMITS), random);
      if (random.nextInt(4) == 0) {
        engine = EngineRules.off(engine);
      }
      QueryEngine undivided = EngineRules.inOneSlice(new QueryEngine(source, OracleTest.LIMITS));
      List<String> expected = answer(undivided, text);
      assertThat(answer(engine, text))
          .as("-Doracle.seed=%d: %s%nover %s", seed, text, events)
          .isEqualTo(expected);
      withSilence += expected.toString().contains(" silent ") ? 1 : 0;
      byOthers += sliced.others() > 0 ? 1 : 0;
      withRows += expected.toString().contains("Row[") ? 1 : 0;
    }
    if (one == null) {
      assertThat(byOthers).as("queries of which other threads walked slices").isPositive();
      assertThat(withSilence).as("answers that name a silent node").isGreaterThan(cases / 100);
      assertThat(withRows).as("queries with rows").isGreaterThan(cases / 4);
    }
  }

  /** The rows with all their parts, the warnings and the error, in order. */
  private static List<String> answer(QueryEngine engine, String text) {
    List<String> answer = new ArrayList<>();
    try {
      engine.run(
          engine.prepare(text),
          new RowSink() {
            @Override
            public void columns(List<Column> columns) {
              answer.add(columns.toString());
            }

            @Override
            public boolean row(Row row) {
              answer.add(row.toString());
              return true;
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
        long promise = 1 + random.nextInt(3);
        all.add(new Event(event.node(), "", later, new EventBody.Heartbeat(promise)));
      }
    }
    all.sort(Comparator.comparingLong(Event::hlc));
    return all;
  }
}
