// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.oracle;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.event.Event;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.answer.StreamPlace;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.InMemoryEventSource;
import io.retroscope.rql.cut.Watermark;
import io.retroscope.rql.diagnostic.RqlException;
import io.retroscope.rql.engine.EngineRules;
import io.retroscope.rql.engine.PreparedQuery;
import io.retroscope.rql.engine.QueryEngine;
import io.retroscope.rql.engine.live.LateInterest;
import io.retroscope.rql.engine.live.LiveGroup;
import io.retroscope.rql.engine.live.LiveStart;
import io.retroscope.rql.engine.live.LiveWalk;
import io.retroscope.rql.engine.live.LoneStream;
import io.retroscope.rql.evaluation.QueryLimits;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Compares STREAM queries that advance together with the same queries alone: over generated logs of
 * which some events come late, with queries that begin, end and are resumed at any time. {@code
 * -Doracle.seed} replays one case.
 */
class JoinedStreamsTest {
  private static final long IDLE_MICROS = 3_000;
  private static final int MOST_QUERIES = 9;

  /** Queries that often have the same variables; %d is a small number. */
  private static final List<String> ALIKE =
      List.of(
          "SELECT STREAM a FROM t WHEN SPREAD(a) > %d EMIT EDGES",
          "SELECT STREAM a FROM t WHEN MAX(a) > %d EMIT INTERVALS",
          "SELECT STREAM a FROM t WHEN a@n1 >= %d FOR 2us EMIT EDGES",
          "SELECT STREAM a FROM t WHEN SPREAD(a) > %d NOT THEN MIN(a) > 1 WITHIN 3us EMIT EDGES",
          "SELECT STREAM a FROM t WHEN MAX(a) > %d THEN SPREAD(a) < 2 WITHIN 4us",
          "SELECT STREAM a FROM t WHEN MAX(a) > %d NOT AFTER MIN(a) > 0 WITHIN 5us EMIT EDGES",
          "SELECT STREAM a FROM t WHEN MAX(a) > %d AFTER MIN(a) > 0",
          "SELECT STREAM n FROM t FOR EACH NODE n WHEN a@n > %d EMIT EDGES",
          "SELECT STREAM n FROM t FOR EACH NODE n WHEN a@n > %d NOT THEN a@n < 2 WITHIN 3us",
          "SELECT STREAM x FROM t FOR EACH VALUE x IN a WHEN COUNT n IN NODES : (a@n = x) > %d",
          "SELECT STREAM x FROM t FOR EACH VALUE x IN a WHEN MAX(Age(a)) >= %dus AND COUNT n IN"
              + " NODES : (a@n = x) > 0 EMIT EDGES",
          "SELECT STREAM NAME(v) AS v FROM t FOR EACH VARIABLE v LIKE '_' WHEN COUNT(v) > %d EMIT"
              + " EDGES ON ERROR SKIP",
          "SELECT STREAM a FROM t WHEN MAX(a) > 1 NOT THEN SPREAD(a) < 2 WITHIN 4us UNLESS MIN(a) >"
              + " %d EMIT EDGES",
          "SELECT STREAM a FROM t WHEN SPREAD(a) > 0 FOR 2us NOT AFTER MAX(a) > %d WITHIN 5us",
          "SELECT STREAM n FROM t FOR EACH NODE n WHEN a@n > %d AND MIN(a) < 3 FOR 2us",
          "SELECT STREAM n FROM t FOR EACH NODE n WHEN a@n <= %d EMIT CUTS",
          "SELECT STREAM a FROM t WHEN MAX(Age(a)) >= 2us AND MAX(a) > %d EMIT EDGES",
          "SELECT STREAM a FROM t WHEN MIN(Age(a)) < 3us AND SPREAD(a) > %d EMIT EDGES",
          "SELECT STREAM a FROM t WHEN MAX(Age(a)) >= %dus EMIT EDGES",
          "SELECT STREAM a FROM t WHEN MAX(WriteAge(a)) >= %dus FOR 2us EMIT EDGES",
          "SELECT STREAM a FROM t WHEN MAX(Silence(a)) >= %dus EMIT EDGES",
          "SELECT STREAM a FROM t WHEN SPREAD(a) > %d AT LIVE NODES EMIT EDGES",
          "SELECT STREAM a FROM t WHEN MAX(a) > %d AT NODES n1, n2 EMIT EDGES",
          "SELECT STREAM a, PREV(a) AS p FROM t WHEN SPREAD(a) > %d EMIT CUTS",
          "SELECT STREAM a FROM t WHEN 6 / MAX(a) > %d EMIT EDGES",
          "SELECT STREAM a FROM t WHEN SPREAD(a) > %d EMIT CUTS LIMIT 4");

  private final Set<String> shapes = new HashSet<>();
  private int queries;
  private int rows;
  private int late;
  private int joined;
  private int failures;

  @Test
  void streams_thatAdvanceTogether_sendWhatEachSendsAlone() {
    compare(150);
  }

  @Test
  @Tag("slow")
  void veryManyStreams_thatAdvanceTogether_sendWhatEachSendsAlone() {
    compare(Integer.getInteger("oracle.cases", 100_000));
  }

  private void compare(int cases) {
    Long one = Long.getLong("oracle.seed");
    for (long seed = one == null ? 0 : one; seed < (one == null ? cases : one + 1); seed++) {
      new Case(seed).run();
    }
    System.out.printf(
        "joined streams: %d queries, %d rows, %d late or retracted, %d shared walks, %d failed%n",
        queries, rows, late, joined, failures);
    if (one == null) {
      assertThat(rows).as("rows").isGreaterThan(10 * cases);
      assertThat(late).as("rows changed by late events").isGreaterThan(cases / 2);
      assertThat(joined).as("walks that were saved").isGreaterThan(cases);
      assertThat(failures).as("failures").isPositive();
    }
  }

  /** Queries over one log. */
  private final class Case {
    private final String name;
    private final Random random;
    private final List<Event> events;
    private final List<Event> visible = new ArrayList<>();
    private final List<Event> held = new ArrayList<>();
    private final List<Pair> pairs = new ArrayList<>();
    private final Source source = new Source();
    private final QueryEngine engine =
        new QueryEngine(source, new QueryLimits(1_000_000, 1_000_000, 100_000, 1_000, IDLE_MICROS));

    /** Evaluates every cut: the queries together pass over those that change nothing. */
    private final QueryEngine thorough = EngineRules.off(engine);

    private final LiveGroup group = engine.newLiveGroup();
    private long reached;

    Case(long seed) {
      this.name = "-Doracle.seed=" + seed;
      this.random = new Random(seed);
      this.events = new RandomLog(random).events();
      this.reached = events.get(0).hlc() - 1;
    }

    void run() {
      TreeSet<Long> stamps = new TreeSet<>();
      events.forEach(event -> stamps.add(event.hlc()));
      int most = 2 + random.nextInt(MOST_QUERIES - 1);
      for (long stamp : stamps) {
        for (Event event : events) {
          if (event.hlc() == stamp) {
            (random.nextInt(6) == 0 ? held : visible).add(event);
          }
        }
        amend(stamp);
        if (random.nextInt(3) > 0) {
          continue;
        }
        deliverLate();
        while (pairs.size() < most && random.nextInt(3) > 0) {
          open();
        }
        interrupt();
        advance(stamp + random.nextInt(2));
      }
      visible.addAll(held);
      held.clear();
      amend(events.get(0).hlc());
      advance(stamps.last() + 10_000);
      joined += Math.max(0, pairs.size() - group.walkCount());
      pairs.forEach(pair -> pair.check(name));
    }

    private void open() {
      String text =
          random.nextInt(4) == 0
              ? new RandomQuery(random).text(true)
              : ALIKE.get(random.nextInt(ALIKE.size())).formatted(random.nextInt(4));
      try {
        PreparedQuery query = engine.prepare(text);
        pairs.add(new Pair(query, text));
        queries++;
        shapes.add(text);
      } catch (RqlException e) {
        // Some generated queries are wrong, or use names that are not known yet.
      }
    }

    private void advance(long hlc) {
      reached = Math.max(reached, hlc);
      Watermark watermark = watermark(reached);
      try (EventSource.View view = source.open()) {
        pairs.forEach(pair -> pair.alone(walk -> walk.advance(view, watermark)));
        group.advance(view, watermark);
      }
      pairs.forEach(Pair::advanced);
      pairs.forEach(pair -> pair.compare(name));
    }

    private void deliverLate() {
      if (!held.isEmpty() && random.nextInt(3) == 0) {
        Event event = held.remove(random.nextInt(held.size()));
        visible.add(event);
        amend(event.hlc());
      }
    }

    private void amend(long hlc) {
      if (hlc > reached) {
        return;
      }
      Set<LateInterest> interests = new HashSet<>();
      try (EventSource.View view = source.open()) {
        for (Pair pair : pairs) {
          pair.alone(walk -> walk.amend(view, watermark(reached), hlc));
          pair.joined().ifPresent(walk -> interests.add(walk.interest()));
        }
        interests.forEach(interest -> group.amend(view, watermark(reached), interest, hlc));
      }
      pairs.forEach(pair -> pair.compare(name));
    }

    /** Ends a query, and perhaps resumes it. */
    private void interrupt() {
      if (!pairs.isEmpty() && random.nextInt(6) == 0) {
        Pair pair = pairs.get(random.nextInt(pairs.size()));
        if (pair.isRunning()) {
          pair.close();
          if (random.nextBoolean()) {
            pair.resume();
          }
        }
      }
    }

    /** One query, alone and in the group. */
    private final class Pair {
      private final PreparedQuery query;
      private final String text;
      private final Received alone = new Received();
      private final Received together = new Received();
      private @Nullable LoneStream first;
      private @Nullable LiveWalk second;
      private StreamPlace place = new StreamPlace(0, 0, 0);
      private boolean hasBegun;

      Pair(PreparedQuery query, String text) {
        this.query = query;
        this.text = text;
        open(LiveStart.at(reached + 1));
      }

      private void open(LiveStart start) {
        hasBegun = false;
        try (EventSource.View view = source.open()) {
          second = engine.openLive(query, view, start, together, group);
          QueryEngine other = random.nextBoolean() ? engine : thorough;
          alone(
              none ->
                  first =
                      LoneStream.open(other, other.prepare(text), view, start, alone)
                          .upTo(view, watermark(reached)));
        }
      }

      void advanced() {
        hasBegun = true;
      }

      boolean isRunning() {
        return hasBegun && first != null && alone.error.isEmpty();
      }

      void resume() {
        open(new LiveStart(reached + 1, Optional.of(place)));
      }

      Optional<LiveWalk> joined() {
        return Optional.ofNullable(second);
      }

      void alone(java.util.function.Consumer<LoneStream> step) {
        try {
          if (alone.error.isEmpty()) {
            step.accept(first);
          }
        } catch (RqlException e) {
          alone.error = message(e);
        } catch (NullPointerException e) {
          if (first != null) {
            throw e;
          }
        }
      }

      void compare(String name) {
        if (hasBegun && second != null && first != null && second.failure() == null) {
          assertThat(second.place()).as(() -> what(name)).isEqualTo(first.walk().place());
          assertThat(second.cuts()).as(() -> what(name)).isEqualTo(first.walk().cuts());
        }
      }

      private String what(String name) {
        return name + ": " + text + "\n" + events;
      }

      void check(String name) {
        if (second != null && second.failure() != null) {
          together.error = message(second.failure());
          failures++;
        }
        assertThat(together.calls).as(() -> what(name)).isEqualTo(alone.calls);
        if (alone.error.isEmpty()) { // A walk that fails in its first advance sends none.
          assertThat(together.warnings).as(() -> what(name)).isEqualTo(alone.warnings);
        }
        assertThat(together.error).as(() -> what(name)).isEqualTo(alone.error);
        rows += together.calls.size();
        late += (int) together.calls.stream().filter(call -> !call.startsWith("row")).count();
      }

      private Optional<String> message(RqlException e) {
        return Optional.of(e.diagnostics().get(0).message());
      }

      void close() {
        if (first != null && second != null) {
          place = first.walk().place();
          first.close();
          second.close();
          if (second.failure() != null) {
            together.error = message(Objects.requireNonNull(second.failure()));
          }
          first = null;
          second = null;
        }
      }
    }

    private Watermark watermark(long hlc) {
      return new Watermark(hlc, new TreeSet<>());
    }

    /** The events that have come so far. */
    private final class Source implements EventSource {
      @Override
      public View open() {
        List<Event> sorted = new ArrayList<>(visible);
        sorted.sort(Comparator.comparingInt(events::indexOf));
        return new InMemoryEventSource(sorted, ClockOffsets.UNKNOWN).open();
      }
    }
  }

  private static final class Received implements RowSink {
    private final List<String> calls = new ArrayList<>();
    private final TreeSet<String> warnings = new TreeSet<>();
    private Optional<String> error = Optional.empty();

    @Override
    public void columns(List<Column> columns) {}

    @Override
    public boolean row(Row row) {
      calls.add("row " + row.hlc() + " " + row.values() + " " + row.note());
      return true;
    }

    @Override
    public boolean late(Row row) {
      calls.add("late " + row.hlc() + " " + row.values());
      return true;
    }

    @Override
    public void retracted(long row, long hlc) {
      calls.add("retracted " + row + " " + hlc);
    }

    @Override
    public void lost(long from, long until, String message) {
      calls.add("lost " + from + " " + until);
    }

    @Override
    public void warning(String message) {
      warnings.add(message);
    }
  }
}
