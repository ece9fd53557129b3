// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.oracle;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.event.Value;
import io.retroscope.event.Value.BooleanValue;
import io.retroscope.event.Value.NullValue;
import io.retroscope.event.Value.SetValue;
import io.retroscope.event.Value.StringValue;
import io.retroscope.event.Value.StructValue;
import io.retroscope.event.Value.TimestampValue;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.engine.QueryEngine;
import io.retroscope.rql.oracle.RandomPredicate.Cut;
import io.retroscope.rql.oracle.RandomPredicate.Truth;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Compares POSSIBLY and DEFINITELY with all consistent cuts of generated executions. {@code
 * -Doracle.seed} replays one case.
 */
class DetectionOracleTest {
  private final Map<String, Integer> decidedBy = new TreeMap<>();

  @Test
  void answers_onGeneratedExecutions_areThoseOfAllCuts() {
    compare(1_500);
  }

  @Test
  @Tag("slow")
  void answers_onVeryManyGeneratedExecutions_areThoseOfAllCuts() {
    compare(30_000);
  }

  private void compare(int cases) {
    Map<String, Integer> answers = new TreeMap<>();
    for (long seed : OracleTest.seeds(cases)) {
      Random random = new Random(seed);
      boolean sealed = random.nextInt(3) == 0;
      List<Event> events = new RandomExecution(random, sealed ? "t" : "net").events();
      EventSource source = OracleTest.source(events);
      if (sealed) {
        List<Event> sorted = new ArrayList<>(events);
        sorted.sort(Comparator.comparingLong(Event::hlc).thenComparing(Event::node));
        source = new SealedSource(source, sorted, random);
      }
      List<String> nodes = events.stream().map(Event::node).distinct().sorted().toList();
      Truth predicate = new RandomPredicate(random, nodes).next();
      boolean possibly = random.nextBoolean();
      TreeSet<Long> stamps = new TreeSet<>();
      events.forEach(event -> stamps.add(event.hlc()));
      boolean ranged = random.nextBoolean();
      long from = ranged ? pick(stamps, random) : stamps.first();
      long to = ranged ? pick(stamps.tailSet(from), random) : stamps.last();
      String text =
          (possibly ? "POSSIBLY " : "DEFINITELY ")
              + predicate.text()
              + " FROM t"
              + (ranged
                  ? " ON TIME hlc'%s' TO hlc'%s'"
                      .formatted(HlcTimestamp.text(from), HlcTimestamp.text(to))
                  : "");
      Supplier<String> what = OracleTest.what(seed, text, events);
      Answer answer = answer(source, text);
      if (seed % 3 == 0) {
        explain(source, text);
      }
      answers.merge(possibly + " " + answer.values.get(0), 1, Integer::sum);
      AllCuts cuts = new AllCuts(events, from, to);
      check(what, answer, cuts, events, predicate, possibly);
    }
    if (cases > 1) {
      assertThat(answers.entrySet())
          .filteredOn(entry -> !entry.getKey().contains("Null"))
          .as(answers.toString())
          .hasSize(4)
          .allMatch(entry -> entry.getValue() > cases / 20);
      assertThat(decidedBy.keySet())
          .containsExactlyInAnyOrder(
              "extremes of two nodes",
              "lattice of cuts",
              "strong conjunctive predicates",
              "tests of single nodes",
              "weak conjunctive predicates");
      assertThat(decidedBy.values()).as(decidedBy.toString()).allMatch(n -> n > cases / 1_000);
    }
  }

  private static long pick(Set<Long> stamps, Random random) {
    return new ArrayList<>(stamps).get(random.nextInt(stamps.size()));
  }

  private static void check(
      Supplier<String> what,
      Answer answer,
      AllCuts cuts,
      List<Event> events,
      Truth predicate,
      boolean possibly) {
    Map<Long, Boolean> truths = new LinkedHashMap<>();
    for (long cut : cuts.reached(any -> true)) {
      Boolean truth = predicate.truth().apply(new Cut(cuts.values(cut), cuts.nodes()));
      truths.put(cut, Boolean.TRUE.equals(truth));
    }
    boolean expected =
        possibly
            ? truths.containsValue(true)
            : !cuts.reached(cut -> !truths.get(cut)).contains(cuts.end());
    if (answer.values.get(0) instanceof NullValue) {
      assertThat(expected).as(what).isFalse();
      assertThat(answer.warnings)
          .as(what)
          .contains("nothing that it names was recorded up to the end of the range");
      assertThat(valuesAtEnd(cuts, predicate.text())).as(what).isEmpty();
      assertThat(new HashSet<>(truths.values())).as(what).containsExactly(false);
      return;
    }
    assertThat(answer.values.get(0)).as(what).isEqualTo(Value.of(expected));
    if (!expected) {
      assertThat(answer.values.subList(1, 3)).as(what).containsOnly(NullValue.NULL);
      return;
    }
    Set<Map<String, Long>> satisfying =
        truths.entrySet().stream()
            .filter(Map.Entry::getValue)
            .map(entry -> cuts.stamps(entry.getKey()))
            .collect(Collectors.toSet());
    Map<String, Long> found = stamps(answer.values.get(1));
    assertThat(satisfying).as(what).contains(found);
    assertThat(satisfying).as(what).noneMatch(other -> isBelow(other, found));
    assertThat(ids(answer.values.get(2))).as(what).isEqualTo(bounds(events, found));
  }

  /** The values of the nodes that a predicate names, or of all. */
  private static List<Value> valuesAtEnd(AllCuts cuts, String predicate) {
    boolean isOfAll = predicate.matches(".*( IN |MAX|MIN|SPREAD).*");
    return cuts.values(cuts.end()).entrySet().stream()
        .filter(variable -> predicate.contains(variable.getKey()))
        .flatMap(variable -> variable.getValue().entrySet().stream())
        .filter(entry -> isOfAll || predicate.contains("@" + entry.getKey()))
        .map(Map.Entry::getValue)
        .toList();
  }

  /** Whether a cut is a part of another one, and not the same. */
  private static boolean isBelow(Map<String, Long> cut, Map<String, Long> other) {
    return !cut.equals(other)
        && cut.entrySet().stream()
            .allMatch(
                entry -> entry.getValue() <= other.getOrDefault(entry.getKey(), Long.MIN_VALUE));
  }

  private static Map<String, Long> stamps(Value cut) {
    Map<String, Long> stamps = new TreeMap<>();
    ((StructValue) cut)
        .fields()
        .forEach(
            (node, stamp) -> {
              if (stamp instanceof TimestampValue at) {
                stamps.put(node, at.packed());
              }
            });
    return stamps;
  }

  private static Set<String> ids(Value messages) {
    Set<String> ids = new TreeSet<>();
    for (Value message : ((SetValue) messages).elements()) {
      Map<String, Value> fields = ((StructValue) message).fields();
      ids.add(
          ((StringValue) fields.get("id")).value()
              + " to "
              + ((StringValue) fields.get("to")).value());
    }
    return ids;
  }

  /** The messages whose receipt is in the cut, and whose send is the last event of its node. */
  private static Set<String> bounds(List<Event> events, Map<String, Long> found) {
    Set<String> bounds = new TreeSet<>();
    for (Event receipt : events) {
      boolean inside = receipt.hlc() <= found.getOrDefault(receipt.node(), Long.MIN_VALUE);
      if (inside && receipt.body() instanceof EventBody.Receive receive) {
        for (Event send : events) {
          boolean last =
              send.body() instanceof EventBody.Send sent
                  && sent.id().equals(receive.id())
                  && !send.node().equals(receipt.node())
                  && found.getOrDefault(send.node(), Long.MIN_VALUE) == send.hlc();
          if (last) {
            bounds.add(receive.id() + " to " + receipt.node());
          }
        }
      }
    }
    return bounds;
  }

  private Answer answer(EventSource source, String text) {
    QueryEngine engine = new QueryEngine(source, OracleTest.LIMITS);
    Answer answer = new Answer();
    engine.run(engine.prepare(text), answer);
    assertThat(answer.rows).as(text).hasSize(1);
    answer.values = answer.rows.get(0);
    return answer;
  }

  /** Counts the algorithms that decide. */
  private void explain(EventSource source, String text) {
    QueryEngine engine = new QueryEngine(source, OracleTest.LIMITS);
    Answer analyzed = new Answer();
    engine.run(engine.prepare("EXPLAIN ANALYZE " + text), analyzed);
    analyzed.rows.stream()
        .map(row -> ((StringValue) row.get(0)).value())
        .filter(line -> line.startsWith("decided by: "))
        .forEach(line -> decidedBy.merge(line.substring(12), 1, Integer::sum));
  }

  private static final class Answer implements RowSink {
    private final List<List<Value>> rows = new ArrayList<>();
    private final List<String> warnings = new ArrayList<>();
    private List<Value> values = List.of(BooleanValue.FALSE);

    @Override
    public void columns(List<Column> columns) {}

    @Override
    public boolean row(Row row) {
      return rows.add(row.values());
    }

    @Override
    public void warning(String message) {
      warnings.add(message);
    }
  }
}
