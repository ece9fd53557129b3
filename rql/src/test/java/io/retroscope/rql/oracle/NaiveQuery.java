package io.retroscope.rql.oracle;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.Value;
import io.retroscope.event.Value.NullValue;
import io.retroscope.rql.ast.Expression;
import io.retroscope.rql.ast.Statement;
import io.retroscope.rql.ast.Statement.Emit;
import io.retroscope.rql.ast.Statement.OnTime;
import io.retroscope.rql.ast.Statement.TimePoint;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Answers a query by writing down every cut, then every run, then the rows that they make. */
final class NaiveQuery {
  /** A row, without the columns that tell of clocks. */
  record NaiveRow(long hlc, List<Value> values) {}

  /** The rows up to the first error that ends the query; null where there is none. */
  record Answer(List<NaiveRow> rows, String error) {}

  private static final Set<String> VARIABLES = Set.of("a", "b", "c", "s", "u", "message");

  /** A cut at which the query is asked. */
  private record Asked(
      long hlc, boolean isCut, boolean holds, boolean holdsAfter, List<Value> items) {}

  private final List<Event> events;
  private final Statement.Query query;
  private final Set<String> only = new TreeSet<>();
  private final Set<String> named = new HashSet<>();
  private final Map<String, Value> declared = new HashMap<>();
  private long failedAt;

  NaiveQuery(List<Event> events, Statement.Query query) {
    this.events = events;
    this.query = query;
    if (query.nodes() instanceof Statement.NodeScope.Listed listed) {
      listed.nodes().forEach(node -> only.add(node.text()));
    }
    query.expressions().forEach(this::collectNames);
    named.retainAll(VARIABLES);
  }

  private void collectNames(Expression e) {
    if (e instanceof Expression.Name name) {
      named.add(name.identifier().text());
    } else if (e instanceof Expression.Declaration declaration) {
      declared.put(declaration.name().text(), NullValue.NULL);
    }
    e.children().forEach(this::collectNames);
  }

  Answer answer() {
    long from = events.get(0).hlc();
    long to = events.stream().mapToLong(Event::hlc).max().orElseThrow();
    boolean single = false;
    if (query.onTime().orElse(null) instanceof OnTime.At at) {
      from = ((TimePoint.Hlc) at.point()).packed();
      to = query.stream() ? to : from;
      single = !query.stream();
    } else if (query.onTime().orElse(null) instanceof OnTime.Between between) {
      from = ((TimePoint.Hlc) between.from()).packed();
      to = ((TimePoint.Hlc) between.to()).packed();
    }
    List<Asked> asked = new ArrayList<>();
    String error = ask(from, to, single, asked);
    List<NaiveRow> rows = new Rows(asked, error == null ? to : failedAt, error == null).rows();
    long limit = query.limit().orElse(Long.MAX_VALUE);
    return rows.size() >= limit
        ? new Answer(rows.subList(0, (int) limit), null)
        : new Answer(rows, error);
  }

  private Emit emit() {
    return query.emit().orElse(forMicros() > 0 ? Emit.INTERVALS : Emit.CUTS);
  }

  private long forMicros() {
    return query.when().map(w -> w.forMicros().orElse(0)).orElse(0L);
  }

  /** Asks at every cut; returns the error that ended it, or null. */
  private String ask(long from, long to, boolean single, List<Asked> asked) {
    TreeSet<Long> stamps = new TreeSet<>();
    events.forEach(event -> stamps.add(event.hlc()));
    stamps.add(from);
    boolean runs = emit() != Emit.CUTS || forMicros() > 0;
    for (long stamp : stamps.subSet(from, true, to, true)) {
      NaiveState state = NaiveState.at(events, stamp, true, only);
      boolean isCut = state.touched.stream().anyMatch(named::contains) || (single && stamp == from);
      if (isCut || (runs && stamp == from)) {
        Map<String, Value> kept = new HashMap<>(declared);
        try {
          asked.add(ask(state, isCut, asked));
        } catch (NaiveEvaluator.NoValue e) {
          if (!query.onErrorSkip()) {
            failedAt = stamp;
            return e.getMessage();
          }
          declared.clear();
          declared.putAll(kept);
        }
      }
    }
    return null;
  }

  private Asked ask(NaiveState state, boolean isCut, List<Asked> soFar) {
    NaiveState before = NaiveState.at(events, state.hlc, false, only);
    NaiveEvaluator evaluator = new NaiveEvaluator(state, before, declared);
    boolean holds = holds(evaluator);
    boolean held = !soFar.isEmpty() && soFar.get(soFar.size() - 1).holdsAfter();
    boolean holdsAfter = holds && holdsAfter(state, before);
    boolean lasted = held && HlcTimestamp.micros(state.hlc) - runStart(soFar) >= forMicros();
    boolean needed =
        switch (emit()) {
          case CUTS -> holds && isCut;
          case INTERVALS -> holds && !held;
          case EDGES ->
              (holds && !held)
                  || (held && !holds && lasted)
                  || (holds && !holdsAfter && (lasted || forMicros() == 0));
        };
    return new Asked(state.hlc, isCut, holds, holdsAfter, needed ? items(evaluator) : List.of());
  }

  /** Microseconds at which the run began that holds after the last cut. */
  private static long runStart(List<Asked> soFar) {
    int i = soFar.size() - 1;
    while (i > 0 && soFar.get(i - 1).holdsAfter() && soFar.get(i - 1).holds()) {
      i--;
    }
    return HlcTimestamp.micros(soFar.get(i).hlc());
  }

  /** Whether it would hold just after the cut, when what held at its stamp only is gone. */
  private boolean holdsAfter(NaiveState state, NaiveState before) {
    if (!state.touched.contains("message") || !named.contains("message")) {
      return true;
    }
    Map<String, Value> kept = new HashMap<>(declared);
    Value messages = new Value.StructValue(state.of("message"));
    state.values.remove("message");
    boolean holdsAfter;
    try {
      holdsAfter = holds(new NaiveEvaluator(state, before, declared));
    } catch (NaiveEvaluator.NoValue e) {
      holdsAfter = false;
    }
    state.of("message").putAll(((Value.StructValue) messages).fields());
    declared.clear();
    declared.putAll(kept);
    return holdsAfter;
  }

  private boolean holds(NaiveEvaluator evaluator) {
    query.compute().ifPresent(evaluator::compute);
    return query
        .when()
        .map(when -> NaiveEvaluator.isTrue(NaiveEvaluator.truth(evaluator.value(when.predicate()))))
        .orElse(true);
  }

  private List<Value> items(NaiveEvaluator evaluator) {
    List<Value> items = new ArrayList<>();
    query.items().forEach(item -> items.add(evaluator.item(item.expression())));
    return items;
  }

  /** Turns what was asked into rows. */
  private final class Rows {
    private final List<Asked> asked;
    private final long to;
    private final boolean complete;
    private final List<NaiveRow> rows = new ArrayList<>();

    Rows(List<Asked> asked, long to, boolean complete) {
      this.asked = asked;
      this.to = to;
      this.complete = complete;
    }

    List<NaiveRow> rows() {
      int i = 0;
      while (i < asked.size()) {
        if (asked.get(i).holds()) {
          int end = i + 1;
          while (end < asked.size() && asked.get(end - 1).holdsAfter() && asked.get(end).holds()) {
            end++;
          }
          run(i, end);
          i = end;
        } else {
          i++;
        }
      }
      return rows;
    }

    private void run(int first, int end) {
      Asked last = asked.get(end - 1);
      boolean momentary = !last.holdsAfter();
      boolean open = !momentary && end == asked.size();
      long endHlc = momentary ? last.hlc() : open ? to : asked.get(end).hlc();
      long start = asked.get(first).hlc();
      if (HlcTimestamp.micros(endHlc) - HlcTimestamp.micros(start) < forMicros()) {
        return;
      }
      switch (emit()) {
        case CUTS ->
            asked.subList(first, end).stream()
                .filter(Asked::isCut)
                .forEach(cut -> rows.add(new NaiveRow(cut.hlc(), cut.items())));
        case EDGES -> {
          edge(asked.get(first), "rise");
          if (!open) {
            edge(momentary ? last : asked.get(end), "fall");
          }
        }
        case INTERVALS -> {
          if (!open || complete) {
            List<Value> values = new ArrayList<>();
            values.add(new Value.TimestampValue(endHlc));
            values.add(Value.of(HlcTimestamp.micros(endHlc) - HlcTimestamp.micros(start)));
            values.add(Value.of(end - first));
            values.add(Value.of(open));
            values.addAll(asked.get(first).items());
            rows.add(new NaiveRow(start, values));
          }
        }
      }
    }

    private void edge(Asked cut, String edge) {
      List<Value> values = new ArrayList<>();
      values.add(Value.of(edge));
      values.addAll(cut.items());
      rows.add(new NaiveRow(cut.hlc(), values));
    }
  }
}
