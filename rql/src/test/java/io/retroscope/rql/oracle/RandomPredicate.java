// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.oracle;

import io.retroscope.event.Value;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A generator of predicates over {@code x}, {@code y} and the line {@code p}, with their truth. */
final class RandomPredicate {
  private static final List<String> OPERATORS = List.of(">=", ">", "<", "<=", "=");

  private final Random random;
  private final List<String> nodes;

  /**
   * A predicate.
   *
   * @param truth its value at a cut: TRUE, FALSE or null
   */
  record Truth(String text, Function<Cut, @Nullable Boolean> truth) {}

  /** The values at a cut, and the nodes. */
  record Cut(Map<String, Map<String, Value>> values, Set<String> nodes) {
    @Nullable Long number(String variable, String node) {
      Value value = values.getOrDefault(variable, Map.of()).get(node);
      return value instanceof Value.LongValue number ? number.value() : null;
    }

    List<Long> numbers(String variable) {
      return values.getOrDefault(variable, Map.of()).values().stream()
          .map(value -> ((Value.LongValue) value).value())
          .toList();
    }
  }

  RandomPredicate(Random random, List<String> nodes) {
    this.random = random;
    this.nodes = nodes;
  }

  Truth next() {
    return next(2);
  }

  private Truth next(int depth) {
    if (depth == 0 || random.nextInt(3) == 0) {
      return leaf();
    }
    Truth a = next(depth - 1);
    Truth b = next(depth - 1);
    return switch (random.nextInt(4)) {
      case 0 -> not(a);
      case 1 ->
          new Truth(
              "((" + a.text() + ") OR (" + b.text() + "))",
              cut -> not(and(not(a.truth().apply(cut)), not(b.truth().apply(cut)))));
      default ->
          new Truth(
              "((" + a.text() + ") AND (" + b.text() + "))",
              cut -> and(a.truth().apply(cut), b.truth().apply(cut)));
    };
  }

  private static Truth not(Truth a) {
    return new Truth("NOT (" + a.text() + ")", cut -> not(a.truth().apply(cut)));
  }

  private static @Nullable Boolean not(@Nullable Boolean a) {
    return a == null ? null : !a;
  }

  private static @Nullable Boolean and(@Nullable Boolean a, @Nullable Boolean b) {
    if (Boolean.FALSE.equals(a) || Boolean.FALSE.equals(b)) {
      return false;
    }
    return (a == null || b == null) ? null : true;
  }

  private static @Nullable Boolean compare(@Nullable Long a, String operator, @Nullable Long b) {
    if (a == null || b == null) {
      return null;
    }
    int order = Long.compare(a, b);
    return switch (operator) {
      case ">=" -> order >= 0;
      case ">" -> order > 0;
      case "<" -> order < 0;
      case "<=" -> order <= 0;
      default -> order == 0;
    };
  }

  private Truth leaf() {
    String variable = random.nextInt(3) == 0 ? "y" : "x";
    String node = pick(nodes);
    String operator = pick(OPERATORS);
    long limit = random.nextInt(4);
    return switch (random.nextInt(9)) {
      case 0 -> {
        String other = pick(nodes);
        yield new Truth(
            "%s@%s %s x@%s".formatted(variable, node, operator, other),
            cut -> compare(cut.number(variable, node), operator, cut.number("x", other)));
      }
      case 1 ->
          new Truth(
              "%s@%s IS NULL".formatted(variable, node), cut -> cut.number(variable, node) == null);
      case 2 ->
          new Truth(
              "message@%s = 'p'".formatted(node),
              cut -> {
                Value line = cut.values().get("message").get(node);
                return line == null ? null : line.equals(Value.of("p"));
              });
      case 3 ->
          random.nextInt(3) == 0
              ? related(variable, operator, node)
              : quantified(variable, operator, limit);
      case 4 -> extreme(variable, operator, limit);
      case 5 -> spread(variable, 1 + random.nextInt(3));
      case 6 -> counted(variable, operator, limit);
      default ->
          new Truth(
              "%s@%s %s %d".formatted(variable, node, operator, limit),
              cut -> compare(cut.number(variable, node), operator, limit));
    };
  }

  /** EXISTS and FORALL, over the nodes or over the values. */
  private Truth quantified(String variable, String operator, long limit) {
    boolean all = random.nextBoolean();
    boolean overNodes = random.nextBoolean();
    String text =
        (all ? "FORALL" : "EXISTS")
            + (overNodes
                ? " n IN NODES : (%s@n %s %d)".formatted(variable, operator, limit)
                : " v IN %s : (v %s %d)".formatted(variable, operator, limit));
    return new Truth(
        text,
        cut -> {
          List<@Nullable Boolean> each = each(cut, variable, operator, limit, overNodes);
          Boolean result = all;
          for (Boolean one : each) {
            result = all ? and(result, one) : not(and(not(result), not(one)));
          }
          return result;
        });
  }

  /** A quantifier whose body also reads a node that it does not bind. */
  private Truth related(String variable, String operator, String node) {
    boolean all = random.nextBoolean();
    return new Truth(
        "%s n IN NODES : (%s@n %s y@%s)"
            .formatted(all ? "FORALL" : "EXISTS", variable, operator, node),
        cut -> {
          Boolean result = all;
          for (String each : cut.nodes()) {
            Boolean one = compare(cut.number(variable, each), operator, cut.number("y", node));
            result = all ? and(result, one) : not(and(not(result), not(one)));
          }
          return result;
        });
  }

  private static List<@Nullable Boolean> each(
      Cut cut, String variable, String operator, long limit, boolean overNodes) {
    Stream<@Nullable Long> values =
        overNodes
            ? cut.nodes().stream().map(node -> cut.number(variable, node))
            : cut.numbers(variable).stream();
    List<@Nullable Boolean> each = new ArrayList<>();
    values.forEach(value -> each.add(compare(value, operator, limit)));
    return each;
  }

  private Truth counted(String variable, String operator, long limit) {
    boolean overNodes = random.nextBoolean();
    String compared = pick(OPERATORS);
    long count = random.nextInt(4);
    String quantified =
        overNodes
            ? "COUNT n IN NODES : (%s@n %s %d)".formatted(variable, operator, limit)
            : "COUNT v IN %s : (v %s %d)".formatted(variable, operator, limit);
    boolean mirrored = random.nextInt(4) == 0;
    return new Truth(
        mirrored
            ? count + " " + compared + " (" + quantified + ")"
            : "(" + quantified + ") " + compared + " " + count,
        cut -> {
          long found =
              each(cut, variable, operator, limit, overNodes).stream()
                  .filter(Boolean.TRUE::equals)
                  .count();
          return mirrored ? compare(count, compared, found) : compare(found, compared, count);
        });
  }

  private Truth extreme(String variable, String operator, long limit) {
    boolean most = random.nextBoolean();
    return new Truth(
        "%s(%s) %s %d".formatted(most ? "MAX" : "MIN", variable, operator, limit),
        cut -> {
          Stream<Long> all = cut.numbers(variable).stream();
          Long found = (most ? all.max(Long::compare) : all.min(Long::compare)).orElse(null);
          return compare(found, operator, limit);
        });
  }

  private Truth spread(String variable, long limit) {
    String operator = random.nextBoolean() ? ">=" : ">";
    String text =
        random.nextBoolean()
            ? "SPREAD(%s)".formatted(variable)
            : "MAX(%1$s) - MIN(%1$s)".formatted(variable);
    return new Truth(
        text + " " + operator + " " + limit,
        cut -> {
          List<Long> all = cut.numbers(variable);
          return all.isEmpty()
              ? null
              : compare(
                  all.stream().max(Long::compare).orElseThrow()
                      - all.stream().min(Long::compare).orElseThrow(),
                  operator,
                  limit);
        });
  }

  private <T> T pick(List<T> list) {
    return list.get(random.nextInt(list.size()));
  }
}
