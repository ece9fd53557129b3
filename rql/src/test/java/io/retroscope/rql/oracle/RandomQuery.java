package io.retroscope.rql.oracle;

import io.retroscope.clock.HlcTimestamp;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Makes queries over the logs of {@link RandomLog}, well typed but for what {@code u} holds. */
final class RandomQuery {
  private final Random random;
  private final List<String> numbers = new ArrayList<>();
  private final List<String> nodes = new ArrayList<>();
  private boolean global;
  private int names;

  RandomQuery(Random random) {
    this.random = random;
  }

  /** The query's text; with {@code stream}, from the first stamp and without an end. */
  String text(boolean stream) {
    String compute = chance(3) ? compute() : "";
    List<String> items = new ArrayList<>();
    for (int i = 0; i <= random.nextInt(3); i++) {
      items.add(item() + " AS i" + i);
    }
    StringBuilder query = new StringBuilder("SELECT ");
    query.append(stream ? "STREAM " : "").append(String.join(", ", items)).append(" FROM t ");
    query.append(compute);
    boolean when = !chance(5);
    if (when) {
      query.append("WHEN ").append(truth(3));
      query.append(chance(3) ? " FOR " + (1 + random.nextInt(8)) + "us " : " ");
    }
    query.append(chance(6) ? "AT NODES n1, n2 " : "");
    query.append(stream ? "ON TIME hlc'1000.0' " : time());
    query.append(pick("EMIT CUTS ", "EMIT INTERVALS ", "EMIT EDGES ", ""));
    query.append(chance(8) ? "LIMIT " + random.nextInt(5) + " " : "");
    query.append(chance(2) ? "ON ERROR SKIP" : "");
    return query.append(';').toString();
  }

  private String time() {
    return switch (random.nextInt(5)) {
      case 0 -> "ON TIME hlc'" + stamp(0) + "' ";
      case 1 -> "ON TIME hlc'" + stamp(0) + "' TO hlc'" + stamp(30) + "' ";
      default -> "";
    };
  }

  private String stamp(int later) {
    return HlcTimestamp.text(
        HlcTimestamp.pack(1_000 + later + random.nextInt(30), random.nextInt(3)));
  }

  private String compute() {
    global = chance(2);
    String name = "g";
    String first = global ? "GLOBAL g" : "VAR g";
    String value =
        global ? "(g := Coalesce(g, 0) + " + number(1) + ")" : "(g := " + number(2) + ")";
    numbers.add(name);
    return "COMPUTE " + first + " AND " + (chance(3) ? truth(1) + " AND " : "") + value + " ";
  }

  private String item() {
    return switch (random.nextInt(6)) {
      case 0 -> variable();
      case 1 -> number(2);
      case 2 -> truth(2);
      case 3 -> set(2);
      case 4 -> pick("Prev(a)", "Age(b)", "message", "Changed(a)", "Nodes(c)", "NODES");
      default -> aggregate();
    };
  }

  private String truth(int depth) {
    if (depth == 0) {
      return number(0) + pick(" = ", " != ", " < ", " <= ", " > ", " >= ") + number(0);
    }
    return switch (random.nextInt(11)) {
      case 0 -> "(" + truth(depth - 1) + " AND " + truth(depth - 1) + ")";
      case 1 -> "(" + truth(depth - 1) + " OR " + truth(depth - 1) + ")";
      case 2 -> "(NOT " + truth(depth - 1) + ")";
      case 3, 4 -> quantified(pick("EXISTS", "FORALL"), depth);
      case 5 -> "(" + number(depth - 1) + pick(" IN ", " NOT IN ") + set(depth - 1) + ")";
      case 6 -> "(" + set(depth - 1) + pick(" ISSUBSET ", " ISPROPSUBSET ") + set(depth - 1) + ")";
      case 7 -> "(" + number(depth - 1) + pick(" IS NULL", " IS NOT NULL") + ")";
      case 8 -> "(EXISTS m IN message : (m CONTAINS 'time'))";
      case 9 -> extreme();
      default ->
          "("
              + number(depth - 1)
              + pick(" = ", " != ", " < ", " <= ", " > ", " >= ")
              + number(depth - 1)
              + ")";
    };
  }

  /** What the engine answers from extremes. */
  private String extreme() {
    String asked = pick("v", "w", "v - w", "w - v");
    String operator = pick(" < ", " <= ", " > ", " >= ");
    String limit = String.valueOf(random.nextInt(5) - 1);
    return "(%s v, w IN %s : (%s))"
        .formatted(
            pick("EXISTS", "FORALL"),
            pick("a", "b", "c", "u"),
            chance(2) ? asked + operator + limit : limit + operator + asked);
  }

  private String quantified(String quantifier, int depth) {
    String name = "q" + names++;
    String collection = pick(variable(), set(depth - 1), "NODES");
    boolean node = collection.equals("NODES");
    List<String> scope = node ? nodes : numbers;
    boolean ofSets = collection.equals("s");
    if (!ofSets) {
      scope.add(name);
    }
    String body = truth(depth - 1);
    scope.remove(name);
    return "(" + quantifier + " " + name + " IN " + collection + " : (" + body + "))";
  }

  private String number(int depth) {
    if (depth == 0) {
      return leaf();
    }
    return switch (random.nextInt(7)) {
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
      return pick("a", "b", "c") + "@" + nodes.get(random.nextInt(nodes.size()));
    }
    return switch (random.nextInt(4)) {
      case 0 -> String.valueOf(random.nextInt(7) - 1);
      case 1 -> pick("a", "b", "c", "u") + "@n" + (1 + random.nextInt(2));
      default -> aggregate();
    };
  }

  private String aggregate() {
    return pick("SUM", "MIN", "MAX", "COUNT", "SPREAD", "SUM", "MAX")
        + "("
        + pick("a", "b", "c", "u", "Flatten(s)", "Prev(a)")
        + ")";
  }

  private String set(int depth) {
    if (depth <= 0 || chance(3)) {
      return pick("a", "b", "s@n1", "Flatten(s)", "{1, 2}", "(0..3)", "{}");
    }
    return "(" + set(depth - 1) + pick(" UNION ", " INTERSECT ", " \\ ") + set(depth - 1) + ")";
  }

  private String variable() {
    return pick("a", "b", "c", "s", "u");
  }

  private boolean chance(int oneIn) {
    return random.nextInt(oneIn) == 0;
  }

  private String pick(String... choices) {
    return choices[random.nextInt(choices.length)];
  }
}
