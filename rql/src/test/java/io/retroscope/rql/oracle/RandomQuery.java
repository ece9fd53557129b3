// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.oracle;

import io.retroscope.clock.HlcTimestamp;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * A generator of queries over the logs of {@link RandomLog}, well typed except for the values of
 * {@code u}.
 */
final class RandomQuery {
  private final Random random;
  private final List<String> numbers = new ArrayList<>();
  private final List<String> nodes = new ArrayList<>();
  private final List<String> sets = new ArrayList<>();
  private final List<String> elements = new ArrayList<>();
  private String each = "";
  private int names;

  RandomQuery(Random random) {
    this.random = random;
  }

  /** Returns the query's text; with {@code stream}, from the first stamp and without an end. */
  String text(boolean stream) {
    String forEach = "";
    if (chance(7)) {
      forEach = "FOR EACH VARIABLE v LIKE '" + pick("_", "%", "a", "%c%") + "' ";
      each = "v";
    }
    String compute = chance(3) ? compute() : "";
    List<String> items = new ArrayList<>();
    for (int i = 0; i <= random.nextInt(3); i++) {
      items.add(item() + " AS i" + i);
    }
    if (!each.isEmpty()) {
      items.add("NAME(v) AS name");
    }
    StringBuilder query = new StringBuilder("SELECT ");
    query.append(stream ? "STREAM " : "").append(String.join(", ", items)).append(" FROM t ");
    query.append(forEach).append(compute);
    boolean when = !chance(5);
    if (when) {
      query.append("WHEN ").append(truth(3));
      query.append(chance(3) ? " FOR " + (1 + random.nextInt(8)) + "us " : " ");
    }
    query.append(
        switch (random.nextInt(8)) {
          case 0 -> "AT NODES n1, n2 ";
          case 1, 2 -> "AT LIVE NODES ";
          case 3 -> "AT ALL_NODES ";
          default -> "";
        });
    query.append(stream ? "ON TIME hlc'1000.0' " : time());
    query.append(pick("EMIT CUTS ", "EMIT INTERVALS ", "EMIT EDGES ", ""));
    query.append(each.isEmpty() && chance(8) ? "LIMIT " + random.nextInt(5) + " " : "");
    query.append(!each.isEmpty() || chance(2) ? "ON ERROR SKIP " : "");
    if (chance(8)) {
      query.append("PLAY harp NOTE ").append(number(1));
      query.append(chance(2) ? " VELOCITY 20 * " + number(1) : "");
    }
    return query.append(';').toString();
  }

  private String time() {
    return switch (random.nextInt(5)) {
      case 0 -> "ON TIME hlc'" + stamp(0) + "' ";
      case 1 -> "ON TIME hlc'" + stamp(0) + "' TO hlc'" + stamp(30) + "' ";
      case 2 -> "ON TIME LAST " + random.nextInt(40) + "us ";
      default -> "";
    };
  }

  private String stamp(int later) {
    return HlcTimestamp.text(
        HlcTimestamp.pack(1_000 + later + random.nextInt(30), random.nextInt(3)));
  }

  private String compute() {
    switch (random.nextInt(4)) {
      case 0 -> {
        // Collected from nothing; the order of the loop is not visible in a set.
        String loop = "(FOREACH x IN " + pick("a", "b", "Flatten(s)") + " : ";
        String kind = pick("GLOBAL", "OUT", "VAR");
        String body = "(h := h UNION {x" + pick("", " * 2", " + 1") + "}))";
        sets.add("h");
        return "COMPUTE " + kind + " h AND " + loop + body + " ";
      }
      case 1 -> {
        String value = number(2);
        numbers.add("o");
        return "COMPUTE OUT o AND (o := " + value + ") ";
      }
      case 2 -> {
        String statement = statement(2);
        numbers.add("g");
        return "COMPUTE " + pick("VAR", "GLOBAL") + " g AND " + statement + " ";
      }
      default -> {
        String step = number(1);
        numbers.add("g");
        return "COMPUTE GLOBAL g AND (g := Coalesce(g, 0) + " + step + ") ";
      }
    }
  }

  /** Returns a sequence that may assign to g, or stop before. */
  private String statement(int depth) {
    if (depth == 0) {
      return "(g := " + number(1) + ")";
    }
    return switch (random.nextInt(6)) {
      case 0 -> "(NOT (" + truth(1) + " AND " + statement(depth - 1) + "))";
      case 1 -> "(" + truth(1) + " OR " + statement(depth - 1) + ")";
      case 2 ->
          "(%s ? (%s) : (%s))".formatted(truth(1), statement(depth - 1), statement(depth - 1));
      case 3 -> "(" + truth(1) + " AND " + statement(depth - 1) + ")";
      case 4 -> "(FOREACH x IN a : (x > 1 AND " + statement(depth - 1) + "))";
      default -> statement(0);
    };
  }

  private String item() {
    return switch (random.nextInt(7)) {
      case 0 -> variable();
      case 1 -> number(2);
      case 2 -> truth(2);
      case 3 -> set(2);
      case 4 ->
          pick(
              "Prev(a)",
              "Age(b)",
              "WriteAge(b)",
              "message",
              "Changed(a)",
              "Nodes(c)",
              "NODES",
              "Time()",
              "d.x",
              "d.y",
              "send",
              "receive.id",
              "fields.ms",
              "Changed(d)",
              "d@n1.y",
              "Age(message)");
      case 5 -> each.isEmpty() ? "ms" : pick("v", "COUNT(v)", "Changed(v)", "MAX(Age(v))");
      default -> aggregate();
    };
  }

  String truth(int depth) {
    if (depth == 0) {
      return number(0) + pick(" = ", " != ", " < ", " <= ", " > ", " >= ") + number(0);
    }
    return switch (random.nextInt(15)) {
      case 0 -> "(" + truth(depth - 1) + " AND " + truth(depth - 1) + ")";
      case 1 -> "(" + truth(depth - 1) + " OR " + truth(depth - 1) + ")";
      case 2 -> "(NOT " + truth(depth - 1) + ")";
      case 3, 4 -> quantified(pick("EXISTS", "FORALL"), depth);
      case 5 -> "(" + number(depth - 1) + pick(" IN ", " NOT IN ") + set(depth - 1) + ")";
      case 6 -> "(" + set(depth - 1) + pick(" ISSUBSET ", " ISPROPSUBSET ") + set(depth - 1) + ")";
      case 7 -> "(" + number(depth - 1) + pick(" IS NULL", " IS NOT NULL") + ")";
      case 8 -> "(EXISTS m IN message : (m CONTAINS 'time'))";
      case 9 -> extreme();
      case 10, 11 -> age();
      case 12 ->
          pick(
              "(s@n1 CONTAINS 2)",
              "(a CONTAINS 1)",
              "(d@n1.y LIKE 't%')",
              "(Upper(d@n2.y) = 'X')",
              "(u@n1 LIKE '_')",
              "(Substring(d@n1.y, " + random.nextInt(3) + ", 2) = 'ti')",
              "(Replace(d@n2.y, 'e', 'xx') CONTAINS Lower('XX'))",
              "(a@n1 NOTIN b)",
              "(u@n2 IN u)",
              "Changed(a)",
              "(EXISTS r IN receive : (r.from = 'n2'))",
              "(EXISTS n IN NODES : (send@n.to = n OR Node(n) IS NULL))",
              "(Concat(u@n1, 'y') = 'xy')",
              "If(Changed(b), TRUE, NULL)",
              "(Time() > hlc'1010.0')");
      default ->
          "("
              + number(depth - 1)
              + pick(" = ", " != ", " < ", " <= ", " > ", " >= ")
              + number(depth - 1)
              + ")";
    };
  }

  /** Returns a condition that becomes true because time passes. */
  private String age() {
    String variable = each.isEmpty() ? pick("a", "b", "c") : pick("a", "v");
    String age = pick("Age(", "Age(", "WriteAge(") + variable + ")";
    String limit = random.nextInt(12) + "us";
    String operator = pick(" > ", " >= ", " > ", " >= ", " = ", " != ", " < ", " <= ");
    return switch (random.nextInt(13)) {
      case 0 -> "(EXISTS x IN " + age + " : (x" + operator + limit + "))";
      case 1 -> "(EXISTS n IN NODES : (" + age + "@n" + operator + limit + " AND a@n > 1))";
      case 2 -> "((COUNT n IN Nodes(b) : (" + age + "@n" + operator + limit + ")) >= 2)";
      case 3 -> "(FORALL x, y IN " + age + " : (x" + operator + limit + " OR y = x))";
      case 4 -> "(NOT (" + age + "@n1" + operator + limit + "))";
      case 5 -> "(" + age + "@n1 + 2us" + operator + limit + ")";
      case 6 -> "(2 * " + age + "@n2" + operator + limit + ")";
      case 7 -> "(Long(" + age + "@n1) / 2" + operator + random.nextInt(6) + ")";
      case 8 -> "(" + limit + operator + "MAX(" + age + "))";
      case 9 -> "(NOT (EXISTS n IN NODES : (NOT (" + age + "@n" + operator + limit + "))))";
      case 10 ->
          "(EXISTS x IN a : (x > 1 AND " + age + "@(Node(x)) - 1us" + operator + limit + "))";
      default ->
          "("
              + pick("MAX", "MIN", "AVG", "SUM", "MEDIAN", "SPREAD")
              + "("
              + age
              + ")"
              + operator
              + limit
              + ")";
    };
  }

  /** Returns a quantifier that the engine evaluates from extremes. */
  private String extreme() {
    String compared = pick("v", "w", "v - w", "w - v");
    String operator = pick(" < ", " <= ", " > ", " >= ", " = ", " != ");
    String limit =
        chance(3)
            ? pick(
                "w",
                "v",
                "0.5",
                "-0.0",
                "NULL",
                "9223372036854775807",
                "-9223372036854775808",
                "'x'")
            : String.valueOf(random.nextInt(5) - 1);
    return "(%s v, w IN %s : (%s))"
        .formatted(
            pick("EXISTS", "FORALL", "3 < COUNT"),
            pick("a", "b", "c", "u"),
            chance(2) ? compared + operator + limit : limit + operator + compared);
  }

  private String quantified(String quantifier, int depth) {
    String name = "q" + names++;
    String collection = pick(variable(), set(depth - 1), "NODES", "d.x", "c");
    if (collection.equals("s") || collection.equals("d")) {
      return "(" + quantifier + " " + name + " IN " + collection + " : (" + truth(depth - 1) + "))";
    }
    boolean node = collection.equals("NODES");
    List<String> scope = node ? nodes : numbers;
    scope.add(name);
    if (!node) {
      elements.add(name);
    }
    String body = truth(depth - 1);
    scope.remove(name);
    elements.remove(name);
    if (chance(6)) {
      String second = "q" + names++;
      body = "(" + body + pick(" AND ", " OR ") + name + pick(" < ", " = ") + second + ")";
      name += ", " + second;
    }
    return "(" + quantifier + " " + name + " IN " + collection + " : (" + body + "))";
  }

  private String number(int depth) {
    if (depth == 0) {
      return leaf();
    }
    return switch (random.nextInt(8)) {
      case 7 ->
          pick(
              "Cardinality(" + set(depth - 1) + ")",
              "Abs(" + number(depth - 1) + ")",
              "Length(d@n1.y)",
              "Ceil(" + number(depth - 1) + " * 0.5)",
              "Floor(" + number(depth - 1) + " / 2.0)",
              "Round(" + number(depth - 1) + " / 2.0)",
              "Long(" + number(depth - 1) + ")",
              "Double(" + number(depth - 1) + ")",
              "Min(b, " + leaf() + ", " + leaf() + ")",
              "Sum(a, " + leaf() + ", c)",
              "Max(a, " + leaf() + ")",
              "COUNT(DISTINCT " + pick("a", "s", "u") + ")",
              "SUM(DISTINCT " + pick("a", "b") + ")",
              "If(" + truth(depth - 1) + ", " + leaf() + ", 1)");
      case 0, 1 ->
          "("
              + number(depth - 1)
              + pick(" + ", " - ", " * ", " / ", " % ")
              + number(depth - 1)
              + ")";
      case 2 -> "(-" + number(depth - 1) + ")";
      case 3 -> "(" + truth(depth - 1) + " ? (" + number(depth - 1) + ") : (" + leaf() + "))";
      case 4 -> quantified("COUNT", depth);
      case 5 -> "Coalesce(" + number(depth - 1) + ", " + leaf() + ")";
      default -> aggregate();
    };
  }

  private String leaf() {
    if (!numbers.isEmpty() && chance(2)) {
      return numbers.get(random.nextInt(numbers.size()));
    }
    if (!nodes.isEmpty() && chance(2)) {
      return pick("a", "b", "c", "Prev(a)", "d.x") + "@" + nodes.get(random.nextInt(nodes.size()));
    }
    if (!elements.isEmpty() && chance(3)) {
      return pick("a", "b") + "@(Node(" + elements.get(random.nextInt(elements.size())) + "))";
    }
    return switch (random.nextInt(5)) {
      case 4 -> pick("d@n1.x", "d.x@n2", "NULL", "Prev(b)@n1", "0.5");
      case 0 -> String.valueOf(random.nextInt(7) - 1);
      case 1 -> pick("a", "b", "c", "u") + "@n" + (1 + random.nextInt(2));
      default -> aggregate();
    };
  }

  private String aggregate() {
    return pick("SUM", "MIN", "MAX", "COUNT", "SPREAD", "NODESUM", "AVG", "MEDIAN", "SUM", "MAX")
        + "("
        + pick("a", "b", "c", "u", "Flatten(s)", "Prev(a)", "d.x", each.isEmpty() ? "a" : each)
        + ")";
  }

  private String set(int depth) {
    if (!sets.isEmpty() && chance(3)) {
      return sets.get(0);
    }
    if (chance(6)) {
      return "Subset(" + set(depth - 1) + ", " + random.nextInt(3) + ")";
    }
    if (depth <= 0 || chance(3)) {
      return pick("a", "b", "s@n1", "Flatten(s)", "{1, 2}", "(0..3)", "{}");
    }
    return "(" + set(depth - 1) + pick(" UNION ", " INTERSECT ", " \\ ") + set(depth - 1) + ")";
  }

  private String variable() {
    return pick("a", "b", "c", "s", "u", "d", each.isEmpty() ? "a" : each);
  }

  private boolean chance(int oneIn) {
    return random.nextInt(oneIn) == 0;
  }

  private String pick(String... choices) {
    return choices[random.nextInt(choices.length)];
  }
}
