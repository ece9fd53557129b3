// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.oracle;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.event.Value;
import io.retroscope.event.Value.NullValue;
import io.retroscope.rql.ast.Expression;
import io.retroscope.rql.ast.ForEach;
import io.retroscope.rql.ast.NodeScope;
import io.retroscope.rql.ast.OnTime;
import io.retroscope.rql.ast.Play;
import io.retroscope.rql.ast.Response;
import io.retroscope.rql.ast.Statement;
import io.retroscope.rql.ast.Statement.Emit;
import io.retroscope.rql.ast.TimePoint;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** A direct implementation of queries, which lists every cut, then every run, then their rows. */
final class NaiveQuery {
  /** A row, without the columns about clocks. */
  record NaiveRow(long hlc, List<Value> values) {}

  /** The rows up to the first error that ends the query, which is null if there is none. */
  record Answer(List<NaiveRow> rows, String error) {}

  private static final Set<String> STATE = Set.of("a", "b", "c", "d", "s", "u");
  private static final Set<String> MOMENTARY = Set.of("message", "fields", "ms", "send", "receive");

  /** A cut at which the query is evaluated. */
  record EvaluatedCut(
      long hlc,
      boolean isCut,
      boolean holds,
      boolean holdsAfter,
      boolean expected,
      boolean expectedAfter,
      boolean excused,
      boolean excusedAfter,
      boolean presentAfter,
      List<Value> items) {}

  /** The truth of the predicates in a state. */
  private record Truths(boolean present, boolean holds, boolean expected, boolean excused) {}

  private final NaiveHistory history;
  private final List<Event> events;
  private final Statement.Query query;
  private final long idleMicros;
  private final Map<String, String> each;
  private final NaiveAges ages;
  private final Set<String> only = new TreeSet<>();
  private final Set<String> named = new HashSet<>();
  private final Map<String, Value> declared = new HashMap<>();
  private long failedAt;
  private boolean isBeforeRange;
  private Map<String, Value> element = Map.of();

  static Answer answer(List<Event> events, Statement.Query query, long idleMicros) {
    return answer(new NaiveHistory(events), query, idleMicros);
  }

  /** Returns the rows of a query; with FOR EACH VARIABLE those of all its variables, by stamp. */
  static Answer answer(NaiveHistory history, Statement.Query query, long idleMicros) {
    if (query.forEach().isEmpty()) {
      return new NaiveQuery(history, query, idleMicros, Map.of()).answer();
    }
    if (query.forEach().get().collection().isPresent()) {
      return ofElements(history, query, idleMicros);
    }
    ForEach.OfVariable forEach = (ForEach.OfVariable) query.forEach().get();
    String like = forEach.like().orElse("%").replace("%", ".*").replace("_", ".");
    List<NaiveRow> rows = new ArrayList<>();
    for (String variable : new TreeSet<>(STATE)) {
      if (variable.matches(like)) {
        Map<String, String> each = Map.of(forEach.name().text(), variable);
        Answer answer = new NaiveQuery(history, query, idleMicros, each).answer();
        if (answer.error() != null) {
          throw new AssertionError("FOR EACH VARIABLE is generated with ON ERROR SKIP");
        }
        rows.addAll(answer.rows());
      }
    }
    return new Answer(rows, null);
  }

  /** Returns the rows of all elements that any stamp has, in no order. */
  private static Answer ofElements(NaiveHistory history, Statement.Query query, long idleMicros) {
    NaiveQuery search = new NaiveQuery(history, query, idleMicros, Map.of());
    TreeSet<Value> elements = new TreeSet<>();
    TreeSet<Long> stamps = new TreeSet<>();
    for (Event event : history.events()) {
      stamps.add(event.hlc());
      // A live node may come or go without an event.
      for (int micros = 0; micros <= idleMicros; micros++) {
        stamps.add(HlcTimestamp.pack(HlcTimestamp.micros(event.hlc()) + micros));
      }
    }
    stamps.forEach(stamp -> elements.addAll(search.elementsOf(search.state(stamp, true))));
    List<NaiveRow> rows = new ArrayList<>();
    for (Value element : elements) {
      NaiveQuery one = new NaiveQuery(history, query, idleMicros, Map.of());
      one.element = Map.of(query.forEach().orElseThrow().name().text(), element);
      Answer answer = one.answer();
      if (answer.error() != null) {
        return answer;
      }
      rows.addAll(answer.rows());
    }
    return new Answer(rows, null);
  }

  private Set<Value> elementsOf(NaiveState state) {
    Expression collection = query.forEach().orElseThrow().collection().orElseThrow();
    NaiveEvaluator evaluator = new NaiveEvaluator(state, state, declared, each);
    Set<Value> elements = new TreeSet<>();
    evaluator.elements(collection).forEach(element -> elements.add(element.value()));
    elements.remove(NullValue.NULL);
    return elements;
  }

  private boolean isPresent(NaiveState state) {
    return element.isEmpty() || elementsOf(state).containsAll(element.values());
  }

  private NaiveQuery(
      NaiveHistory history, Statement.Query query, long idleMicros, Map<String, String> each) {
    this.history = history;
    this.events = history.events();
    this.query = query;
    this.idleMicros = idleMicros;
    this.each = each;
    this.ages = new NaiveAges(query.expressions(), each);
    if (query.nodes() instanceof NodeScope.Listed listed) {
      listed.nodes().forEach(node -> only.add(node.text()));
    }
    query.expressions().forEach(this::collectNames);
    named.addAll(each.values());
    named.removeIf(name -> !STATE.contains(name) && !MOMENTARY.contains(name));
  }

  private void collectNames(Expression e) {
    if (e instanceof Expression.Name name) {
      named.add(name.identifier().text());
    } else if (e instanceof Expression.Declaration declaration) {
      declared.put(declaration.name().text(), NullValue.NULL);
    }
    e.children().forEach(this::collectNames);
  }

  private Answer answer() {
    long from = events.get(0).hlc();
    long end = events.stream().mapToLong(Event::hlc).max().orElseThrow();
    long to = end;
    boolean single = false;
    if (query.onTime().orElse(null) instanceof OnTime.At at) {
      from = ((TimePoint.Hlc) at.point()).packed();
      to = query.stream() ? to : from;
      single = !query.stream();
    } else if (query.onTime().orElse(null) instanceof OnTime.Between between) {
      from = ((TimePoint.Hlc) between.from()).packed();
      to = ((TimePoint.Hlc) between.to()).packed();
    } else if (query.onTime().orElse(null) instanceof OnTime.Last last) {
      from = HlcTimestamp.pack(Math.max(0, HlcTimestamp.micros(to) - last.micros()));
    }
    if (!query.stream() && HlcTimestamp.micros(to) > HlcTimestamp.micros(end)) {
      // Nothing is known after the last event.
      from = single ? end : from;
      to = end;
      if (from > to) {
        return new Answer(List.of(), null);
      }
    }
    List<EvaluatedCut> cuts = new ArrayList<>();
    if (response() != null) {
      return responses(from, to, cuts);
    }
    String error = evaluate(from, to, single, cuts);
    List<NaiveRow> rows = new Rows(cuts, error == null ? to : failedAt, error == null).rows();
    long limit = query.limit().orElse(Long.MAX_VALUE);
    return rows.size() >= limit
        ? new Answer(rows.subList(0, (int) limit), null)
        : new Answer(rows, error);
  }

  /** The rows of THEN or AFTER; the cuts before the range count for AFTER. */
  private Answer responses(long from, long to, List<EvaluatedCut> cuts) {
    Response clause = response();
    List<EvaluatedCut> earlier = new ArrayList<>();
    if (clause.order() == Response.Order.AFTER) {
      long micros = HlcTimestamp.micros(from);
      long within = clause.withinMicros().orElse(micros);
      // The state just before the window is the last one that an earlier cut left.
      long first = HlcTimestamp.pack(Math.max(1, micros - within)) - 1;
      // Nothing is known before the first event.
      long known = Math.max(first, events.get(0).hlc());
      isBeforeRange = true;
      boolean looksBack = first + 1 < from && known < from;
      if (looksBack && evaluate(known, from - 1, false, earlier) != null) {
        return new Answer(List.of(), "before the range");
      }
      isBeforeRange = false;
    }
    boolean heldBefore = heldBefore(from);
    String error = evaluate(from, to, false, cuts);
    if (error != null) {
      return new Answer(List.of(), error);
    }
    NaiveResponses responses =
        new NaiveResponses(
            clause, forMicros(), emit(), earlier, cuts, heldBefore, from, to, this::itemsAt);
    return new Answer(responses.rows(), null);
  }

  /** Whether WHEN was TRUE in the state that the events before the range left. */
  private boolean heldBefore(long from) {
    NaiveState before = state(from, false).seenAt(from - 1);
    if (!each.isEmpty() && firstWrite() >= from) {
      return false;
    }
    Map<String, Value> kept = new HashMap<>(declared);
    try {
      NaiveEvaluator evaluator = new NaiveEvaluator(before, before, declared, each).again();
      return truths(evaluator.with(element), isPresent(before)).holds();
    } catch (NoValue e) {
      return false;
    } finally {
      declared.clear();
      declared.putAll(kept);
    }
  }

  private List<Value> itemsAt(long hlc) {
    NaiveState state = state(hlc, true);
    return items(new NaiveEvaluator(state, state, declared, each).with(element));
  }

  private Emit emit() {
    boolean lasts = forMicros() > 0 || response() != null;
    return query.emit().orElse(lasts ? Emit.INTERVALS : Emit.CUTS);
  }

  private long forMicros() {
    return query.when().map(w -> w.forMicros().orElse(0)).orElse(0L);
  }

  /** Evaluates every cut; returns the error that ended the query, or null. */
  private String evaluate(long from, long to, boolean single, List<EvaluatedCut> cuts) {
    TreeSet<Long> stamps = new TreeSet<>();
    events.forEach(event -> stamps.add(event.hlc()));
    stamps.add(from);
    // These stamps may have no events, because time alone may make a cut.
    for (long micros = HlcTimestamp.micros(from); micros <= HlcTimestamp.micros(to); micros++) {
      stamps.add(HlcTimestamp.pack(micros));
    }
    boolean runs = emit() != Emit.CUTS || forMicros() > 0;
    for (long stamp : stamps.subSet(from, true, to, true)) {
      if (!each.isEmpty() && stamp < firstWrite()) {
        continue;
      }
      NaiveState state = state(stamp, true);
      boolean isCut =
          state.touched.stream().anyMatch(named::contains)
              || (single && stamp == from)
              || (!single && ages.anyBecomesTrue(state));
      if (isCut || (runs && stamp == from)) {
        Map<String, Value> kept = new HashMap<>(declared);
        try {
          cuts.add(evaluate(state, isCut, cuts));
        } catch (NoValue e) {
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

  /** Returns the first write of a variable, from which on it is evaluated. */
  private long firstWrite() {
    return events.stream()
        .filter(event -> only.isEmpty() || only.contains(event.node()))
        .filter(event -> each.isEmpty() || each.values().stream().anyMatch(v -> writes(event, v)))
        .mapToLong(Event::hlc)
        .min()
        .orElse(Long.MAX_VALUE);
  }

  private static boolean writes(Event event, String variable) {
    return event.body() instanceof EventBody.StateChange change
        && change.changes().stream().anyMatch(c -> c.variable().equals(variable));
  }

  private NaiveState state(long hlc, boolean inclusive) {
    NaiveState state = history.at(hlc, inclusive, only);
    return query.nodes() instanceof NodeScope.Live
        ? state.live(history.at(hlc, false, only), inclusive, idleMicros)
        : state;
  }

  private EvaluatedCut evaluate(NaiveState state, boolean isCut, List<EvaluatedCut> soFar) {
    NaiveState before = state(state.hlc, false);
    NaiveEvaluator evaluator = new NaiveEvaluator(state, before, declared, each).with(element);
    Truths truths = truths(evaluator, isPresent(state));
    boolean holds = truths.holds();
    boolean held = !soFar.isEmpty() && soFar.get(soFar.size() - 1).holdsAfter();
    Truths after = after(state, before, truths);
    boolean holdsAfter = holds && after.holds();
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
    return new EvaluatedCut(
        state.hlc,
        isCut,
        holds,
        holdsAfter,
        truths.expected(),
        truths.expected() && after.expected(),
        truths.excused(),
        truths.excused() && after.excused(),
        after.present(),
        needed && response() == null ? items(evaluator) : itemsIfAny(evaluator));
  }

  /** The items of a cut that may make no row; an error in them matters only if it does. */
  private List<Value> itemsIfAny(NaiveEvaluator evaluator) {
    if (response() == null || isBeforeRange) {
      return List.of();
    }
    try {
      return items(evaluator);
    } catch (NoValue e) {
      return List.of();
    }
  }

  private Response response() {
    return query.when().flatMap(Statement.When::response).orElse(null);
  }

  /** Returns the microseconds at which the run began that holds after the last cut. */
  private static long runStart(List<EvaluatedCut> soFar) {
    int i = soFar.size() - 1;
    while (i > 0 && soFar.get(i - 1).holdsAfter() && soFar.get(i - 1).holds()) {
      i--;
    }
    return HlcTimestamp.micros(soFar.get(i).hlc());
  }

  /** Returns the truths just after the cut, without the values of its stamp only. */
  private Truths after(NaiveState state, NaiveState before, Truths now) {
    if (state.touched.stream().noneMatch(v -> MOMENTARY.contains(v) && named.contains(v))) {
      return now;
    }
    Map<String, Value> kept = new HashMap<>(declared);
    Map<String, TreeMap<String, Value>> flashes = new HashMap<>();
    for (String variable : MOMENTARY) {
      flashes.put(variable, new TreeMap<>(state.of(variable)));
      state.of(variable).clear();
    }
    Truths after;
    try {
      NaiveEvaluator again = new NaiveEvaluator(state, before, declared, each).again();
      after = truths(again.with(element), isPresent(state));
    } catch (NoValue e) {
      after = new Truths(isPresent(state), false, false, false);
    }
    flashes.forEach((variable, values) -> state.of(variable).putAll(values));
    declared.clear();
    declared.putAll(kept);
    return after;
  }

  private Truths truths(NaiveEvaluator evaluator, boolean isPresent) {
    query.compute().ifPresent(evaluator::compute);
    Response clause = response();
    return new Truths(
        isPresent,
        !isBeforeRange
            && isPresent
            && query.when().map(when -> isTrue(evaluator, when.predicate())).orElse(true),
        clause != null && isTrue(evaluator, clause.expected()),
        clause != null && clause.excuse().map(u -> isTrue(evaluator, u)).orElse(false));
  }

  private static boolean isTrue(NaiveEvaluator evaluator, Expression predicate) {
    return NaiveValues.isTrue(NaiveValues.truth(evaluator.value(predicate)));
  }

  private List<Value> items(NaiveEvaluator evaluator) {
    List<Value> items = new ArrayList<>();
    query.items().forEach(item -> items.add(evaluator.item(item.expression())));
    query.compute().ifPresent(compute -> addOuts(compute, items));
    query.play().ifPresent(play -> items.add(note(play, evaluator)));
    return items;
  }

  private void addOuts(Expression e, List<Value> items) {
    if (e instanceof Expression.Declaration declaration
        && declaration.kind() == Expression.DeclarationKind.OUT) {
      items.add(declared.get(declaration.name().text()));
    }
    e.children().forEach(child -> addOuts(child, items));
  }

  /** Returns the pitch and the velocity; NULL if the row has no note. */
  private static Value note(Play play, NaiveEvaluator evaluator) {
    Value pitch = play.note().map(evaluator::number).orElse(Value.of(60));
    Value velocity = play.velocity().map(evaluator::number).orElse(Value.of(96));
    if (NaiveValues.isNull(pitch)) {
      return NullValue.NULL;
    }
    long force = NaiveValues.isNull(velocity) ? 96 : clamped(velocity, 1);
    return Value.of(clamped(pitch, 0) + "/" + force);
  }

  private static long clamped(Value number, double least) {
    double value =
        number instanceof Value.LongValue whole
            ? whole.value()
            : ((Value.DoubleValue) number).value();
    return (long) Math.max(least, Math.min(127, Math.rint(value)));
  }

  /** The conversion of evaluated cuts into rows. */
  private final class Rows {
    private final List<EvaluatedCut> cuts;
    private final long to;
    private final boolean complete;
    private final List<NaiveRow> rows = new ArrayList<>();

    Rows(List<EvaluatedCut> cuts, long to, boolean complete) {
      this.cuts = cuts;
      this.to = to;
      this.complete = complete;
    }

    List<NaiveRow> rows() {
      int i = 0;
      while (i < cuts.size()) {
        if (cuts.get(i).holds()) {
          int end = i + 1;
          while (end < cuts.size() && cuts.get(end - 1).holdsAfter() && cuts.get(end).holds()) {
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
      EvaluatedCut last = cuts.get(end - 1);
      boolean momentary = !last.holdsAfter();
      boolean open = !momentary && end == cuts.size();
      long endHlc = momentary ? last.hlc() : open ? to : cuts.get(end).hlc();
      long start = cuts.get(first).hlc();
      if (HlcTimestamp.micros(endHlc) - HlcTimestamp.micros(start) < forMicros()) {
        return;
      }
      switch (emit()) {
        case CUTS ->
            cuts.subList(first, end).stream()
                .filter(EvaluatedCut::isCut)
                .forEach(cut -> rows.add(new NaiveRow(cut.hlc(), cut.items())));
        case EDGES -> {
          edge(cuts.get(first), "rise");
          if (!open) {
            edge(momentary ? last : cuts.get(end), "fall");
          }
        }
        case INTERVALS -> {
          if (!open || complete) {
            List<Value> values = new ArrayList<>();
            values.add(new Value.TimestampValue(endHlc));
            values.add(Value.of(HlcTimestamp.micros(endHlc) - HlcTimestamp.micros(start)));
            values.add(Value.of(end - first));
            values.add(Value.of(open));
            values.addAll(cuts.get(first).items());
            rows.add(new NaiveRow(start, values));
          }
        }
      }
    }

    private void edge(EvaluatedCut cut, String edge) {
      List<Value> values = new ArrayList<>();
      values.add(Value.of(edge));
      values.addAll(cut.items());
      if (query.play().isPresent() && edge.equals("fall")) {
        values.set(values.size() - 1, NullValue.NULL);
      }
      rows.add(new NaiveRow(cut.hlc(), values));
    }
  }
}
