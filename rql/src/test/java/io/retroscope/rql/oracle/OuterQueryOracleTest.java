// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.oracle;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.event.Event;
import io.retroscope.event.Value;
import io.retroscope.event.Value.DoubleValue;
import io.retroscope.event.Value.LongValue;
import io.retroscope.event.Value.NullValue;
import io.retroscope.rql.diagnostic.RqlException;
import io.retroscope.rql.engine.QueryEngine;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Compares generated outer queries with lists that are filtered, grouped and sorted directly.
 * {@code -Doracle.seed} replays one case.
 */
class OuterQueryOracleTest {
  private static final List<String> COLUMNS = List.of("x", "y", "z");

  private static final String INNER =
      "SELECT a@n1 AS x, b@n2 AS y, COUNT(a) AS z FROM t WHEN Time() IS NOT NULL AND COUNT(a) >= 0";

  /** A condition and whether a row of x, y and z satisfies it. */
  private record Condition(String text, Predicate<List<Value>> test) {}

  private static final List<Condition> CONDITIONS =
      List.of(
          new Condition("", row -> true),
          new Condition("x > 2", row -> isAboveTwo(row.get(0))),
          new Condition("y IS NOT NULL", row -> !isNull(row.get(1))),
          new Condition(
              "t.z = 1 OR z = 2", row -> number(row.get(2)) <= 2 && number(row.get(2)) >= 1),
          new Condition("NOT (x <= 2)", row -> isAboveTwo(row.get(0))));

  private record Aggregate(String text, Function<List<Value>, Value> of) {}

  private static final List<Aggregate> AGGREGATES =
      List.of(
          new Aggregate("COUNT", values -> Value.of(values.size())),
          new Aggregate("MIN", values -> extreme(values, Comparator.naturalOrder())),
          new Aggregate("MAX", values -> extreme(values, Comparator.reverseOrder())),
          new Aggregate("SUM", OuterQueryOracleTest::sum),
          new Aggregate("MEDIAN", OuterQueryOracleTest::middle));

  @Test
  void rows_ofGeneratedOuterQueries_areThoseOfFilteredGroupedAndSortedLists() {
    compare(1_500);
  }

  @Test
  @Tag("slow")
  void rows_ofVeryManyGeneratedOuterQueries_areThoseOfLists() {
    compare(100_000);
  }

  private static void compare(int cases) {
    int compared = 0;
    int grouped = 0;
    int sorted = 0;
    int severalRows = 0;
    for (long seed : OracleTest.seeds(cases)) {
      Random random = new Random(seed);
      List<Event> events = new RandomLog(random).events();
      QueryEngine engine = OracleTest.engine(events);
      Optional<List<List<Value>>> inner = rows(engine, INNER);
      if (inner.isEmpty()) {
        continue;
      }
      List<List<Value>> input = inner.get();
      Generated query = new Generated(random);
      Optional<List<List<Value>>> actual = rows(engine, query.text());
      if (actual.isPresent()) {
        compared++;
        grouped += query.groups ? 1 : 0;
        sorted += query.order.isEmpty() ? 0 : 1;
        severalRows += actual.get().size() > 1 ? 1 : 0;
        assertThat(actual.get())
            .as("-Doracle.seed=%d: %s%nover %s", seed, query.text(), input)
            .isEqualTo(query.expected(input));
      }
    }
    if (cases > 1) {
      assertThat(compared).isGreaterThan(cases / 2);
      assertThat(grouped).isGreaterThan(cases / 8);
      assertThat(sorted).isGreaterThan(cases / 8);
      assertThat(severalRows).isGreaterThan(cases / 4);
    }
  }

  /**
   * The values of the rows; empty if a value has no place in the query, such as a text in a sum.
   */
  private static Optional<List<List<Value>>> rows(QueryEngine engine, String text) {
    OracleTest.Result result = new OracleTest.Result(text);
    try {
      engine.run(engine.prepare(text), result);
    } catch (RqlException e) {
      assertThat(e.diagnostics().get(0).code()).as(text + e).startsWith("RQL04");
      return Optional.empty();
    }
    return Optional.of(result.rows().stream().map(NaiveQuery.NaiveRow::values).toList());
  }

  /** A generated query. */
  private static final class Generated {
    private final Condition condition;
    private final boolean groups;
    private final List<Integer> keys;
    private final List<Aggregate> aggregates = new ArrayList<>();
    private final List<Integer> arguments = new ArrayList<>();
    private final List<Order> order = new ArrayList<>();
    private final int limit;

    /** A column of the result to sort by. */
    private record Order(int item, boolean descending, boolean nullsFirst) {}

    Generated(Random random) {
      condition = CONDITIONS.get(random.nextInt(CONDITIONS.size()));
      groups = random.nextInt(3) > 0;
      keys = IntStream.range(0, 3).filter(i -> !groups || random.nextBoolean()).boxed().toList();
      for (int i = groups ? random.nextInt(3) + (keys.isEmpty() ? 1 : 0) : 0; i > 0; i--) {
        aggregates.add(AGGREGATES.get(random.nextInt(AGGREGATES.size())));
        arguments.add(random.nextInt(3));
      }
      int items = keys.size() + aggregates.size();
      for (int i = random.nextInt(3); i > 0; i--) {
        order.add(new Order(random.nextInt(items), random.nextBoolean(), random.nextBoolean()));
      }
      limit = random.nextBoolean() ? random.nextInt(6) : Integer.MAX_VALUE;
    }

    String text() {
      List<String> items = new ArrayList<>();
      keys.forEach(key -> items.add(COLUMNS.get(key)));
      for (int i = 0; i < aggregates.size(); i++) {
        items.add(aggregates.get(i).text() + "(" + COLUMNS.get(arguments.get(i)) + ") AS c" + i);
      }
      String by = String.join(", ", keys.stream().map(COLUMNS::get).toList());
      List<String> sort = new ArrayList<>();
      for (Order key : order) {
        sort.add(
            (key.item() + 1)
                + (key.descending() ? " DESC" : "")
                + (key.nullsFirst() ? " NULLS FIRST" : ""));
      }
      return "SELECT "
          + String.join(", ", items)
          + " FROM ("
          + INNER
          + ") t"
          + (condition.text().isEmpty() ? "" : " WHERE " + condition.text())
          + (groups && !keys.isEmpty() ? " GROUP BY " + by : "")
          + (sort.isEmpty() ? "" : " ORDER BY " + String.join(", ", sort))
          + (limit < Integer.MAX_VALUE ? " LIMIT " + limit : "");
    }

    List<List<Value>> expected(List<List<Value>> input) {
      if (limit == 0) {
        return List.of(); // Nothing is computed, so that no sum overflows.
      }
      List<List<Value>> kept = input.stream().filter(condition.test()).toList();
      Stream<List<Value>> rows = groups ? grouped(kept).stream() : kept.stream();
      return rows.sorted(this::compare).limit(limit).toList();
    }

    private List<List<Value>> grouped(List<List<Value>> kept) {
      Map<List<Object>, List<List<Value>>> byKey = new LinkedHashMap<>();
      for (List<Value> row : kept) {
        List<Object> key = keys.stream().map(i -> key(row.get(i))).toList();
        byKey.computeIfAbsent(key, unused -> new ArrayList<>()).add(row);
      }
      if (keys.isEmpty()) {
        byKey.putIfAbsent(List.of(), List.of());
      }
      List<List<Value>> result = new ArrayList<>();
      for (List<List<Value>> group : byKey.values()) {
        List<Value> row = new ArrayList<>();
        keys.forEach(key -> row.add(group.get(0).get(key)));
        for (int i = 0; i < aggregates.size(); i++) {
          int argument = arguments.get(i);
          List<Value> values =
              group.stream().map(r -> r.get(argument)).filter(v -> !isNull(v)).toList();
          row.add(aggregates.get(i).of().apply(values));
        }
        result.add(row);
      }
      return result;
    }

    private int compare(List<Value> a, List<Value> b) {
      for (Order key : order) {
        Value left = a.get(key.item());
        Value right = b.get(key.item());
        int result;
        if (isNull(left) || isNull(right)) {
          result = Boolean.compare(isNull(left), isNull(right)) * (key.nullsFirst() ? -1 : 1);
        } else {
          result = left.compareTo(right) * (key.descending() ? -1 : 1);
        }
        if (result != 0) {
          return result;
        }
      }
      return 0;
    }
  }

  /** A key by which 1 and 1.0 are equal. */
  private static Object key(Value value) {
    if (value instanceof LongValue whole) {
      return new BigDecimal(whole.value()).stripTrailingZeros();
    }
    return value instanceof DoubleValue number && Double.isFinite(number.value())
        ? new BigDecimal(number.value()).stripTrailingZeros()
        : value;
  }

  private static boolean isNull(Value value) {
    return value instanceof NullValue;
  }

  /** In the order of values NaN is above all numbers. */
  private static boolean isAboveTwo(Value value) {
    boolean number = value instanceof LongValue || value instanceof DoubleValue;
    return number && value.compareTo(Value.of(2)) > 0;
  }

  private static double number(Value value) {
    return value instanceof LongValue whole ? whole.value() : ((DoubleValue) value).value();
  }

  private static Value extreme(List<Value> values, Comparator<Value> order) {
    return values.stream().min(order).orElse(NullValue.NULL);
  }

  private static Value sum(List<Value> values) {
    if (values.isEmpty()) {
      return NullValue.NULL;
    }
    return areLongs(values)
        ? Value.of(exactSum(values).longValueExact())
        : Value.of(values.stream().mapToDouble(OuterQueryOracleTest::number).sum());
  }

  private static boolean areLongs(List<Value> values) {
    return values.stream().allMatch(LongValue.class::isInstance);
  }

  private static BigInteger exactSum(List<Value> longs) {
    return longs.stream()
        .map(value -> BigInteger.valueOf(((LongValue) value).value()))
        .reduce(BigInteger.ZERO, BigInteger::add);
  }

  private static Value middle(List<Value> values) {
    if (values.isEmpty()) {
      return NullValue.NULL;
    }
    List<Value> sorted = values.stream().sorted().toList();
    List<Value> both = List.of(sorted.get((sorted.size() - 1) / 2), sorted.get(sorted.size() / 2));
    double sum =
        areLongs(both)
            ? exactSum(both).doubleValue()
            : 0.0 + number(both.get(0)) + number(both.get(1));
    return Value.of(
        Double.isInfinite(sum) ? number(both.get(0)) / 2 + number(both.get(1)) / 2 : sum / 2);
  }
}
