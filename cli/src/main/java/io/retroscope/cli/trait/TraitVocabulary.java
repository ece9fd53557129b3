// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.trait;

import io.retroscope.event.Value;
import io.retroscope.rql.ast.Expression;
import io.retroscope.rql.ast.Identifier;
import io.retroscope.rql.ast.Literals;
import io.retroscope.rql.ast.RqlFormatter;
import io.retroscope.rql.diagnostic.SourceRange;
import io.retroscope.rql.parser.RqlToken;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The names of many runs, and keys of traits that are made of them: a kind and two numbers. It is
 * bounded by the names in the events. Thread-safe.
 */
final class TraitVocabulary {
  private static final int BITS = 28;
  private static final long MASK = (1L << BITS) - 1;
  private static final SourceRange NOWHERE = new SourceRange(0, 0);

  private final Map<Object, Integer> numbers = new HashMap<>();
  private final List<Object> subjects = new ArrayList<>();

  /** A variable of a log. */
  record Variable(String log, String name) {}

  /** A variable with a value. */
  record Atom(Variable variable, Value value) {}

  /** A node, or for messages a log. */
  record Name(String text) {}

  /** A field with answers, and one with values that need no answer; the same for none. */
  record Answers(Variable answer, Variable excuse) {}

  /** Creates a vocabulary whose number 0 means no subject. */
  TraitVocabulary() {
    subjects.add(new Name(""));
  }

  /** The number of a variable, an atom or a name. */
  synchronized int number(Object subject) {
    return numbers.computeIfAbsent(
        subject,
        added -> {
          subjects.add(added);
          return subjects.size() - 1;
        });
  }

  synchronized Object subject(int number) {
    return subjects.get(number);
  }

  static long key(TraitKind kind, int first, int second) {
    return ((long) kind.code() << (2 * BITS)) | ((long) first << BITS) | second;
  }

  static TraitKind kind(long key) {
    return TraitKind.of((int) (key >>> (2 * BITS)));
  }

  static int firstNumber(long key) {
    return (int) ((key >>> BITS) & MASK);
  }

  static int secondNumber(long key) {
    return (int) (key & MASK);
  }

  Object first(long key) {
    return subject(firstNumber(key));
  }

  Object second(long key) {
    return subject(secondNumber(key));
  }

  /** The variables that a trait is about. */
  List<Variable> variables(long key) {
    List<Variable> found = new ArrayList<>();
    for (Object subject : List.of(first(key), second(key))) {
      if (subject instanceof Atom atom) {
        found.add(atom.variable());
      } else if (subject instanceof Variable variable) {
        found.add(variable);
      }
    }
    return found;
  }

  /**
   * The trait in RQL; for a trait of messages, which RQL does not name, as a comment.
   *
   * @param bound of a measure: micros of a duration, or a number
   */
  String text(long key, double bound) {
    boolean isSwapped = isPair(kind(key)) && isAfter(first(key), second(key));
    Object first = isSwapped ? second(key) : first(key);
    Object second = isSwapped ? first(key) : second(key);
    return kind(key).isMeasure()
        ? measure(kind(key), first, second, bound)
        : values(kind(key), first, second);
  }

  private static String values(TraitKind kind, Object first, Object second) {
    return switch (kind) {
      case HELD -> sometimes(some((Atom) first), first, "");
      case HELD_AT -> sometimes(atom((Atom) second, ((Name) first).text()), second, "");
      case HELD_TWICE ->
          sometimes("COUNT n IN NODES : (" + atom((Atom) first, "n") + ") >= 2", first, "");
      case AT_NODE ->
          sometimes(
              "EXISTS n IN NODES : (%s AND %s)".formatted(both(first, second), both(second, first)),
              first,
              second,
              "");
      case AT_ONCE ->
          sometimes(
              "(%s) AND (%s)".formatted(some(first, second), some(second, first)),
              first,
              second,
              "");
      case NOT_AFTER ->
          sometimes(
              "%s NOT AFTER %s".formatted(some(first, second), some(second, first)),
              first,
              second,
              "");
      case NODE_NOT_AFTER ->
          sometimes(
              "%s NOT AFTER %s".formatted(both(first, second), both(second, first)),
              first,
              second,
              " FOR EACH NODE n");
      case FELL -> {
        String name = name(first);
        yield sometimes("EXISTS n IN NODES : (%1$s@n < Prev(%1$s)@n)".formatted(name), first, "");
      }
      case BELOW ->
          sometimes(
              "EXISTS n IN NODES : (%s@n < %s@n)".formatted(name(first), name(second)), first, "");
      default -> throw new IllegalArgumentException("no predicate about values: " + kind);
    };
  }

  private static String measure(TraitKind kind, Object first, Object second, double bound) {
    return switch (kind) {
      case HIGH -> sometimes("MAX(%s) >= %s".formatted(name(first), number(bound)), first, "");
      case LOW -> sometimes("MIN(%s) <= %s".formatted(name(first), number(-bound)), first, "");
      case APART -> sometimes("SPREAD(%s) >= %s".formatted(name(first), number(bound)), first, "");
      case LASTED ->
          sometimes(atom((Atom) first, "n") + " FOR " + duration(bound), first, " FOR EACH NODE n");
      case DIFFERED ->
          sometimes(
              "COUNT(DISTINCT %s) >= 2 FOR %s".formatted(name(first), duration(bound)), first, "");
      case SILENT ->
          sometimes(
              "Silence(%s)@%s >= %s"
                  // At the end of a silence the sign has come.
                  .formatted(name(second), identifier(((Name) first).text()), duration(bound - 1)),
              second,
              "");
      case CHANGED_LATE ->
          sometimes(
              "Changed(%s)".formatted(name(first)), first, " ON TIME LAST " + duration(-bound));
      case UNRECEIVED ->
          "-- a message of log %s is sent and not received in the %s until the end"
              .formatted(((Name) first).text(), duration(bound));
      case SLOW ->
          "-- a message of log %s takes at least %s"
              .formatted(((Name) first).text(), duration(bound));
      default -> throw new IllegalArgumentException("no predicate with a bound: " + kind);
    };
  }

  /** Whether the order of the two subjects of a kind says nothing. */
  private static boolean isPair(TraitKind kind) {
    return kind == TraitKind.AT_NODE || kind == TraitKind.AT_ONCE;
  }

  /** The numbers of subjects depend on which run was read first; their texts do not. */
  private static boolean isAfter(Object first, Object second) {
    return first.toString().compareTo(second.toString()) > 0;
  }

  private static String sometimes(String predicate, Object first, Object second, String clause) {
    String log = log(first);
    String logs = log(second).equals(log) ? log : log + ", " + log(second);
    return "SOMETIMES " + predicate + " FROM " + logs + clause;
  }

  private static String sometimes(String predicate, Object of, String clause) {
    return sometimes(predicate, of, of, clause);
  }

  private static Variable variable(Object subject) {
    return subject instanceof Atom atom ? atom.variable() : (Variable) subject;
  }

  private static String log(Object subject) {
    return identifier(variable(subject).log());
  }

  private static String name(Object subject) {
    return identifier(variable(subject).name());
  }

  private static String some(Atom atom) {
    return "EXISTS n IN NODES : (" + atom(atom, "n") + ")";
  }

  /** An atom at some node, with the log where another one has another log. */
  private static String some(Object subject, Object other) {
    return "EXISTS n IN NODES : (" + both(subject, other) + ")";
  }

  private static String both(Object subject, Object other) {
    String log = log(subject).equals(log(other)) ? "" : log(subject) + ".";
    return atom((Atom) subject, log, "n");
  }

  /** An atom at a node, such as {@code role@n = 'leader'}, or {@code holds@n}. */
  static String atom(Atom atom, String node) {
    return atom(atom, "", node);
  }

  private static String atom(Atom atom, String log, String node) {
    String variable = log + name(atom) + "@" + identifier(node);
    if (atom.value() instanceof Value.BooleanValue value) {
      return value.value() ? variable : "NOT " + variable;
    }
    return variable + " = " + literal(atom.value());
  }

  static String literal(Value value) {
    return RqlFormatter.format(new Expression.Literal(value, NOWHERE));
  }

  /** A name as RQL takes it. */
  static String identifier(String name) {
    boolean isPlain =
        name.matches("[A-Za-z_][A-Za-z0-9_]*")
            && RqlToken.of(name).get(0).kind() == RqlToken.Kind.NAME;
    return RqlFormatter.format(
        new Expression.Name(new Identifier(name, !isPlain, NOWHERE), NOWHERE));
  }

  private static String number(double bound) {
    return bound == Math.rint(bound) && Math.abs(bound) < 1e15
        ? String.valueOf((long) bound)
        : literal(Value.of(bound));
  }

  private static String duration(double micros) {
    return Literals.duration((long) micros);
  }
}
