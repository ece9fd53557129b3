// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.oracle;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Value;
import io.retroscope.rql.ast.Response;
import io.retroscope.rql.ast.Response.Order;
import io.retroscope.rql.ast.Statement.Emit;
import io.retroscope.rql.oracle.NaiveQuery.EvaluatedCut;
import io.retroscope.rql.oracle.NaiveQuery.NaiveRow;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.function.LongFunction;

/**
 * The rows of THEN and AFTER by their definition: for every trigger, the first stamp of all that
 * answers or excuses it.
 */
final class NaiveResponses {
  private final Response clause;
  private final long forMicros;
  private final Emit emit;
  private final List<EvaluatedCut> all = new ArrayList<>();
  private final List<EvaluatedCut> cuts;
  private final boolean heldBefore;
  private final long from;
  private final long to;
  private final LongFunction<List<Value>> itemsAt;
  private final List<Placed> rows = new ArrayList<>();

  /** A run of WHEN and its trigger. */
  private record Trigger(long hlc, boolean atStart, int first, int end) {}

  /** A row with the stamp at which it leaves, which orders the rows. */
  private record Placed(long leaves, NaiveRow row) {}

  NaiveResponses(
      Response clause,
      long forMicros,
      Emit emit,
      List<EvaluatedCut> earlier,
      List<EvaluatedCut> cuts,
      boolean heldBefore,
      long from,
      long to,
      LongFunction<List<Value>> itemsAt) {
    this.clause = clause;
    this.forMicros = forMicros;
    this.emit = emit;
    this.cuts = cuts;
    this.heldBefore = heldBefore;
    this.from = from;
    this.to = to;
    this.itemsAt = itemsAt;
    all.addAll(earlier);
    all.addAll(cuts);
  }

  List<NaiveRow> rows() {
    List<Trigger> triggers = triggers();
    if (clause.order() == Order.AFTER) {
      triggers.stream().filter(this::qualifies).forEach(this::run);
    } else {
      TreeMap<Long, List<Trigger>> groups = new TreeMap<>();
      for (Trigger trigger : triggers) {
        long key = resolution(trigger.hlc()).orElse(Long.MAX_VALUE);
        groups.computeIfAbsent(key, k -> new ArrayList<>()).add(trigger);
      }
      groups.forEach((resolved, group) -> group(remembered(group), resolved));
    }
    return rows.stream().sorted(Comparator.comparingLong(Placed::leaves)).map(Placed::row).toList();
  }

  private List<Trigger> triggers() {
    List<Trigger> triggers = new ArrayList<>();
    int i = 0;
    while (i < cuts.size()) {
      if (!cuts.get(i).holds()) {
        i++;
        continue;
      }
      int end = i + 1;
      while (end < cuts.size() && cuts.get(end - 1).holdsAfter() && cuts.get(end).holds()) {
        end++;
      }
      long start = cuts.get(i).hlc();
      long instant =
          HlcTimestamp.pack(HlcTimestamp.micros(start) + forMicros, HlcTimestamp.logical(start));
      long lasted = HlcTimestamp.micros(endHlc(end)) - HlcTimestamp.micros(start);
      if (lasted >= forMicros && instant <= to) {
        boolean atStart = !cuts.get(i).isCut() || (heldBefore && start == from);
        triggers.add(new Trigger(instant, atStart, i, end));
      }
      i = end;
    }
    return triggers;
  }

  private boolean isMomentary(int end) {
    return !cuts.get(end - 1).holdsAfter();
  }

  private long endHlc(int end) {
    if (isMomentary(end)) {
      return cuts.get(end - 1).hlc();
    }
    return end == cuts.size() ? to : cuts.get(end).hlc();
  }

  /** The last cut at or before a stamp; null if there is none. */
  private EvaluatedCut lastUpTo(long hlc) {
    EvaluatedCut last = null;
    for (EvaluatedCut cut : all) {
      last = cut.hlc() <= hlc ? cut : last;
    }
    return last;
  }

  private boolean expectedAt(long hlc) {
    EvaluatedCut cut = lastUpTo(hlc);
    return cut != null && (cut.hlc() == hlc ? cut.expected() : cut.expectedAfter());
  }

  private boolean excusedAt(long hlc) {
    EvaluatedCut cut = lastUpTo(hlc);
    return cut != null && (cut.hlc() == hlc ? cut.excused() : cut.excusedAfter());
  }

  /** The first stamp from the trigger on at which the expected or the excuse is TRUE. */
  private OptionalLong resolution(long trigger) {
    if (expectedAt(trigger) || excusedAt(trigger)) {
      return OptionalLong.of(trigger);
    }
    return cuts.stream()
        .filter(cut -> cut.hlc() > trigger && (cut.expected() || cut.excused()))
        .mapToLong(EvaluatedCut::hlc)
        .min();
  }

  private long deadline(Trigger trigger) {
    long micros = HlcTimestamp.micros(trigger.hlc()) + clause.withinMicros().orElseThrow();
    return HlcTimestamp.pack(micros, HlcTimestamp.MAX_LOGICAL);
  }

  /** The triggers after the last cut without the element at which THEN's were all too late. */
  private List<Trigger> remembered(List<Trigger> group) {
    int first = 0;
    for (int i = 1; i < group.size() && !clause.negated(); i++) {
      long late = deadline(group.get(i - 1));
      long next = group.get(i).hlc();
      boolean isForgotten =
          cuts.stream()
              .anyMatch(cut -> cut.hlc() > late && cut.hlc() < next && !cut.presentAfter());
      first = isForgotten ? i : first;
    }
    return group.subList(first, group.size());
  }

  private void group(List<Trigger> group, long resolved) {
    if (clause.negated()) {
      overdue(group, resolved);
    } else if (resolved != Long.MAX_VALUE && expectedAt(resolved)) {
      group.stream()
          .filter(trigger -> resolved <= deadline(trigger))
          .findFirst()
          .ifPresent(trigger -> answered(trigger, resolved, group.size()));
    }
  }

  private void answered(Trigger trigger, long resolved, int covered) {
    List<Value> items =
        forMicros == 0 ? cuts.get(trigger.first()).items() : itemsAt.apply(trigger.hlc());
    rows.add(
        new Placed(resolved, interval(trigger.hlc(), resolved, false, trigger, covered, items)));
  }

  private void overdue(List<Trigger> group, long resolved) {
    Trigger oldest = group.get(0);
    long late = deadline(oldest);
    if (resolved <= late || late > to) {
      return;
    }
    boolean open = resolved == Long.MAX_VALUE;
    if (emit == Emit.INTERVALS) {
      long end = open ? to : resolved;
      NaiveRow row = interval(late, end, open, oldest, group.size(), itemsAt.apply(late));
      rows.add(new Placed(open ? Long.MAX_VALUE : resolved, row));
      return;
    }
    for (Trigger trigger : group) {
      long rises = deadline(trigger);
      if (rises <= to && rises < resolved) {
        long covered = group.stream().filter(other -> other.hlc() <= rises).count();
        List<Value> values = ofResponse(oldest, covered);
        values.add(Value.of(!trigger.equals(oldest)));
        values.addAll(itemsAt.apply(rises));
        edge(rises, rises, "rise", values);
      }
    }
    if (!open) {
      List<Value> values = ofResponse(oldest, group.size());
      values.add(Value.of(false));
      values.addAll(lastUpTo(resolved).items());
      edge(resolved, resolved, "fall", values);
    }
  }

  private void edge(long leaves, long hlc, String edge, List<Value> values) {
    values.add(0, Value.of(edge));
    rows.add(new Placed(leaves, new NaiveRow(hlc, values)));
  }

  /** Returns a row without {@code cuts}, which the definition does not mention. */
  private NaiveRow interval(
      long from, long end, boolean open, Trigger trigger, long covered, List<Value> items) {
    List<Value> values = new ArrayList<>();
    values.add(new Value.TimestampValue(end));
    values.add(Value.of(HlcTimestamp.micros(end) - HlcTimestamp.micros(from)));
    values.add(Value.of(open));
    values.addAll(ofResponse(trigger, covered));
    values.addAll(items);
    return new NaiveRow(from, values);
  }

  private static List<Value> ofResponse(Trigger trigger, long covered) {
    List<Value> values = new ArrayList<>();
    values.add(new Value.TimestampValue(trigger.hlc()));
    values.add(Value.of(covered));
    values.add(Value.of(trigger.atStart()));
    values.add(Value.of(false));
    return values;
  }

  /** Whether the expected held somewhere in the window that ends with the trigger. */
  private boolean qualifies(Trigger trigger) {
    long micros = HlcTimestamp.micros(trigger.hlc());
    long within = clause.withinMicros().orElse(micros);
    long start = HlcTimestamp.pack(Math.max(0, micros - within));
    boolean held =
        expectedAt(trigger.hlc())
            || expectedAt(start)
            || all.stream()
                .filter(cut -> cut.hlc() > start && cut.hlc() <= trigger.hlc())
                .anyMatch(EvaluatedCut::expected);
    return held != clause.negated();
  }

  private void run(Trigger trigger) {
    EvaluatedCut first = cuts.get(trigger.first());
    boolean open = !isMomentary(trigger.end()) && trigger.end() == cuts.size();
    long end = endHlc(trigger.end());
    if (emit == Emit.INTERVALS) {
      NaiveRow row = interval(first.hlc(), end, open, trigger, 1, first.items());
      rows.add(new Placed(open ? Long.MAX_VALUE : Math.max(end, trigger.hlc()), row));
      return;
    }
    List<Value> rise = ofResponse(trigger, 1);
    rise.add(Value.of(false));
    List<Value> fall = new ArrayList<>(rise);
    rise.addAll(first.items());
    edge(trigger.hlc(), first.hlc(), "rise", rise);
    if (!open) {
      EvaluatedCut last = cuts.get(isMomentary(trigger.end()) ? trigger.end() - 1 : trigger.end());
      fall.addAll(last.items());
      edge(Math.max(end, trigger.hlc()), end, "fall", fall);
    }
  }
}
