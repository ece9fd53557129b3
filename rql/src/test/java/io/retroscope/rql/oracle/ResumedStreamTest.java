// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.oracle;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.event.Value;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.answer.StreamPlace;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.InMemoryEventSource;
import io.retroscope.rql.cut.Watermark;
import io.retroscope.rql.diagnostic.RqlException;
import io.retroscope.rql.engine.PreparedQuery;
import io.retroscope.rql.engine.QueryEngine;
import io.retroscope.rql.engine.live.LiveStart;
import io.retroscope.rql.engine.live.LoneStream;
import io.retroscope.rql.evaluation.LateLimits;
import io.retroscope.rql.evaluation.QueryLimits;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Interrupts generated streams over generated logs after every row and every progress report. The
 * rows before the interruption and those of the resumed stream must be the rows of an uninterrupted
 * one.
 */
class ResumedStreamTest {
  private static final long IDLE_MICROS = 3_000;

  @Test
  void rows_ofStreamsCutAnywhere_areThoseOfTheUninterruptedStream() {
    cutEverywhere(200);
  }

  @Test
  @Tag("slow")
  void rows_ofVeryManyStreamsCutAnywhere_areThoseOfTheUninterruptedStream() {
    cutEverywhere(30_000);
  }

  /** Whether a value has just changed is known at cuts only, and not where the stream was cut. */
  @Test
  void rows_ofAStreamOfChangesCutBetweenThem_areThoseOfTheUninterruptedStream() {
    List<Event> events = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      long hlc = HlcTimestamp.pack(1_000 + 3L * i);
      events.add(
          i % 10 == 0
              ? QuietRuleTest.write("n1", hlc, QuietRuleTest.set("a", Value.of(Math.min(i, 40))))
              : new Event("n1", "", hlc, new EventBody.Heartbeat(0)));
    }
    Stream stream =
        stream(
                events,
                "SELECT STREAM a@n1 FROM t WHEN NOT Changed(a) ON TIME hlc'1000.0' EMIT EDGES;",
                new LateLimits(1, 2 << 20))
            .orElseThrow();
    Random random = new Random(1);
    Received whole = stream.follow(Optional.empty(), random);
    assertThat(whole.rows).isNotEmpty();
    assertThat(whole.places).hasSizeGreaterThan(10);
    for (Place cut : whole.places) {
      Received rest = stream.follow(Optional.of(cut.place()), random);
      List<String> both = new ArrayList<>(whole.rows.subList(0, cut.rows()));
      both.addAll(rest.rows);
      assertThat(both).as("resumed at %s", cut.place().text()).isEqualTo(whole.rows);
    }
  }

  private static void cutEverywhere(int cases) {
    int cuts = 0;
    Set<String> shapes = new HashSet<>();
    Long one = Long.getLong("oracle.seed");
    for (long seed = one == null ? 0 : one; seed < (one == null ? cases : one + 1); seed++) {
      Random random = new Random(seed);
      List<Event> events = new RandomLog(random).events();
      String text = new RandomQuery(random).text(true);
      Optional<Stream> stream = stream(events, text, late(random));
      if (stream.isEmpty()) {
        continue;
      }
      Received whole = stream.get().follow(Optional.empty(), random);
      if (whole.rows.isEmpty()) {
        continue;
      }
      shapes.add(shape(text));
      for (Place cut : whole.places) {
        Received rest = stream.get().follow(Optional.of(cut.place()), random);
        List<String> both = new ArrayList<>(whole.rows.subList(0, cut.rows()));
        both.addAll(rest.rows);
        long at = seed;
        Supplier<String> what =
            () ->
                "-Doracle.seed=%d: %s%nresumed at %s, after %d rows, over %s"
                    .formatted(at, text, cut.place().text(), cut.rows(), events);
        assertThat(both).as(what).isEqualTo(whole.rows);
        assertThat(rest.error).as(what).isEqualTo(whole.error);
        cuts++;
      }
    }
    if (one == null) {
      assertThat(cuts).as("cuts").isGreaterThan(cases);
      assertThat(shapes).as("shapes of statements").hasSizeGreaterThan(8);
    }
  }

  /** Returns the parts of a query that decide how rows are emitted. */
  private static String shape(String text) {
    StringBuilder shape = new StringBuilder();
    for (String word :
        List.of("INTERVALS", "EDGES", "FOR EACH", "ms", "GLOBAL", "LIMIT", "SKIP", "LIVE")) {
      shape.append(text.contains(word) ? word : "").append('/');
    }
    return shape.toString();
  }

  /** Most streams forget rows soon, so that they are resumed from later places than their start. */
  private static LateLimits late(Random random) {
    return random.nextInt(4) == 0
        ? LateLimits.DEFAULT
        : new LateLimits(1 + random.nextInt(8), 2 << 20);
  }

  /** A stream over a log, if the analysis accepts it. */
  private static Optional<Stream> stream(List<Event> events, String text, LateLimits late) {
    InMemoryEventSource source = new InMemoryEventSource(events, ClockOffsets.UNKNOWN);
    QueryLimits limits = new QueryLimits(1_000_000, 1_000_000, 100_000, 1_000, IDLE_MICROS);
    QueryEngine engine = new QueryEngine(source, limits.with(late));
    TreeSet<Long> stamps = new TreeSet<>();
    events.forEach(event -> stamps.add(event.hlc()));
    try {
      return Optional.of(new Stream(source, engine, engine.prepare(text), stamps));
    } catch (RqlException e) {
      return Optional.empty();
    }
  }

  private record Stream(
      EventSource source, QueryEngine engine, PreparedQuery query, TreeSet<Long> stamps) {
    /** Follows it in batches of random size; each ends with a progress report. */
    Received follow(Optional<StreamPlace> resumed, Random random) {
      Received received = new Received();
      // May be below the place at which the stream is resumed, as after a restart of the server.
      long start = stamps.first() - 1 + random.nextInt(20);
      try (EventSource.View view = source.open();
          LoneStream walk =
              LoneStream.open(engine, query, view, new LiveStart(start, resumed), received)
                  .upTo(view, watermark(start))) {
        received.progress(walk.walk().place());
        for (long stamp : stamps.tailSet(start)) {
          if (random.nextInt(3) == 0 && walk.advance(view, watermark(stamp + random.nextInt(2)))) {
            received.progress(walk.walk().place());
          }
        }
        walk.advance(view, watermark(stamps.last()));
      } catch (RqlException e) {
        received.error = Optional.of(e.diagnostics().get(0).message());
      }
      return received;
    }
  }

  private static Watermark watermark(long hlc) {
    return new Watermark(hlc, new TreeSet<>());
  }

  /** A place, and the number of rows received before it. */
  private record Place(StreamPlace place, int rows) {}

  private static final class Received implements RowSink {
    private final List<String> rows = new ArrayList<>();
    private final List<Place> places = new ArrayList<>();
    private StreamPlace place = new StreamPlace(0, 0, 0);
    private Optional<String> error = Optional.empty();

    void progress(StreamPlace at) {
      places.add(new Place(throughText(at), rows.size()));
    }

    private static StreamPlace throughText(StreamPlace at) {
      return StreamPlace.parse(at.text());
    }

    @Override
    public void columns(List<Column> columns) {}

    @Override
    public void place(StreamPlace at) {
      place = at;
    }

    @Override
    public boolean row(Row row) {
      rows.add(row.hlc() + " " + row.values() + " " + row.note());
      places.add(new Place(throughText(place), rows.size()));
      return true;
    }

    @Override
    public void warning(String message) {}
  }
}
