// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.trait;

import io.retroscope.cli.trait.TraitVocabulary.Answers;
import io.retroscope.cli.trait.TraitVocabulary.Atom;
import io.retroscope.cli.trait.TraitVocabulary.Variable;
import io.retroscope.event.Value;
import io.retroscope.event.Value.BooleanValue;
import io.retroscope.event.Value.StringValue;
import io.retroscope.rql.ast.Literals;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Rules that all runs of a table keep, made from templates. Bounds come from two of three runs,
 * with a margin, and must hold in the others. Used by one thread.
 */
final class Proposals {
  /** The factor from the longest time or the greatest number that was seen to a bound. */
  private static final double MARGIN = 1.5;

  /** The part of a run beyond which a bound of time says little. */
  private static final double LONG = 0.25;

  /** The least number of values that make a field one of different values. */
  private static final int MIN_VALUES = 3;

  /** The most numbers of a log in one rule. */
  private static final int MAX_OF_A_LOG = 8;

  private final TraitTable table;
  private final TraitVocabulary vocabulary;
  private final List<Proposal> proposals = new ArrayList<>();

  /* In the order of their keys, which is that of their first occurrence. */
  private final Map<Variable, List<Atom>> texts = new LinkedHashMap<>();
  private final Map<String, List<Variable>> ascending = new LinkedHashMap<>();

  private Proposals(TraitTable table) {
    this.table = table;
    this.vocabulary = table.vocabulary();
  }

  /** Returns the rules, the most specific first, of each template those with the most support. */
  static List<Proposal> of(TraitTable table) {
    Proposals all = new Proposals(table);
    table.keys().stream().sorted().forEach(all::propose);
    all.texts.forEach(all::oneOf);
    all.ascending.values().forEach(all::monotone);
    List<Proposal> ordered =
        all.proposals.stream()
            .sorted(
                Comparator.comparing(Proposal::template)
                    .thenComparing(Comparator.comparingInt(Proposal::support).reversed())
                    .thenComparing(Proposal::name))
            .toList();
    List<Proposal> chosen = new ArrayList<>();
    Set<String> names = new HashSet<>();
    for (Proposal one : ordered) {
      long before = chosen.stream().filter(other -> other.template() == one.template()).count();
      if (before < one.template().most() && names.add(one.name())) {
        chosen.add(one);
      }
    }
    return chosen;
  }

  private void propose(long key) {
    Object first = vocabulary.first(key);
    Object second = vocabulary.second(key);
    switch (TraitVocabulary.kind(key)) {
      case HELD -> {
        atMostOne((Atom) first);
        if (((Atom) first).value() instanceof StringValue) {
          texts
              .computeIfAbsent(((Atom) first).variable(), name -> new ArrayList<>())
              .add((Atom) first);
        }
      }
      case HIGH -> numbers((Variable) first);
      case DIFFERED -> agreement((Variable) first);
      case APART -> boundedLag((Variable) first);
      case LASTED -> ends((Atom) first);
      case COMPARED -> {
        ordered((Variable) first, (Variable) second);
        ordered((Variable) second, (Variable) first);
      }
      case BACKED -> backed((Variable) first, (Variable) second);
      case RANKED -> onePerNumber((Atom) first, (Variable) second);
      case LISTED -> once((Variable) first);
      case ANSWERED -> answered((Variable) first, (Answers) second);
      case LOOKED_UP -> inSet((Variable) first, (Variable) second);
      default -> {}
    }
  }

  private void add(Template template, String name, String sentence, String rule, int support) {
    String plain = name.replaceAll("[^A-Za-z0-9]+", "_").replaceAll("^_+|_+$", "");
    String safe = plain.isEmpty() || Character.isDigit(plain.charAt(0)) ? "r_" + plain : plain;
    proposals.add(new Proposal(template, safe.toLowerCase(Locale.ROOT), sentence, rule, support));
  }

  private int runs(TraitKind kind, Object first) {
    return table.having(key(kind, first)).cardinality();
  }

  private int runs(TraitKind kind, Object first, Object second) {
    return table.having(key(kind, first, second)).cardinality();
  }

  private long key(TraitKind kind, Object first, Object second) {
    return TraitVocabulary.key(kind, vocabulary.number(first), vocabulary.number(second));
  }

  private long key(TraitKind kind, Object first) {
    return TraitVocabulary.key(kind, vocabulary.number(first), 0);
  }

  /** The greatest value of a measure in some runs; NaN without one. */
  private double most(long key, boolean isHeldOut) {
    return IntStream.range(0, table.runs())
        .filter(run -> (run % 3 == 2) == isHeldOut)
        .mapToDouble(run -> table.measure(key, run))
        .filter(value -> !Double.isNaN(value))
        .max()
        .orElse(Double.NaN);
  }

  private double most(long key) {
    return IntStream.range(0, table.runs())
        .mapToDouble(run -> table.measure(key, run))
        .filter(value -> !Double.isNaN(value))
        .max()
        .orElse(Double.NaN);
  }

  private int measured(long key) {
    return (int)
        IntStream.range(0, table.runs())
            .filter(run -> !Double.isNaN(table.measure(key, run)))
            .count();
  }

  private boolean isField(Variable variable) {
    return measured(key(TraitKind.LISTED, variable)) > 0;
  }

  private static String at(Atom atom) {
    return TraitVocabulary.atom(atom, "n");
  }

  private static String name(Variable variable) {
    return TraitVocabulary.identifier(variable.name());
  }

  private static String log(Variable variable) {
    return TraitVocabulary.identifier(variable.log());
  }

  /** Whether a value is a state that nodes take and give up. */
  private boolean isState(Atom atom) {
    return !isField(atom.variable())
        && !table.isManyValued(vocabulary.number(atom.variable()))
        && (atom.value() == BooleanValue.TRUE || atom.value() instanceof StringValue);
  }

  private boolean isSwitch(Variable variable) {
    return Stream.of(true, false)
        .anyMatch(value -> runs(TraitKind.HELD, new Atom(variable, Value.of(value))) > 0);
  }

  private long nodesWith(Atom atom) {
    int number = vocabulary.number(atom);
    return table.keys().stream()
        .filter(key -> TraitVocabulary.kind(key) == TraitKind.HELD_AT)
        .filter(key -> TraitVocabulary.secondNumber(key) == number)
        .count();
  }

  private void atMostOne(Atom atom) {
    if (isState(atom) && runs(TraitKind.HELD_TWICE, atom) == 0 && nodesWith(atom) >= 2) {
      String value = atom.value() instanceof StringValue text ? "_" + text.value() : "";
      add(
          Template.AT_MOST_ONE,
          "at_most_one_" + atom.variable().name() + value,
          "At most one node has %s.".formatted(said(atom)),
          "NEVER COUNT n IN NODES : (%s) >= 2 FROM %s".formatted(at(atom), log(atom.variable())),
          runs(TraitKind.HELD, atom));
    }
  }

  private static String said(Atom atom) {
    return atom.variable().name() + " = " + TraitVocabulary.literal(atom.value());
  }

  private void numbers(Variable variable) {
    long high = key(TraitKind.HIGH, variable);
    long low = key(TraitKind.LOW, variable);
    double greatest = most(high, false);
    double least = -most(low, false);
    if (isField(variable) || !(greatest > least)) {
      return;
    }
    int support = measured(high);
    if (runs(TraitKind.FELL, variable) == 0) {
      ascending.computeIfAbsent(variable.log(), log -> new ArrayList<>()).add(variable);
      return;
    }
    double distance = (greatest - least) / 4;
    if (isStable(high) && most(high, true) <= greatest + distance) {
      add(
          Template.AT_MOST,
          variable.name() + "_is_bounded",
          "%s is at most %s.".formatted(variable.name(), number(greatest + distance)),
          "NEVER MAX(%s) > %s FROM %s"
              .formatted(name(variable), number(greatest + distance), log(variable)),
          support);
    }
    if (isStable(low) && -most(low, true) >= least - distance) {
      add(
          Template.AT_LEAST,
          variable.name() + "_is_sufficient",
          "%s is at least %s.".formatted(variable.name(), number(least - distance)),
          "NEVER MIN(%s) < %s FROM %s"
              .formatted(name(variable), number(least - distance), log(variable)),
          support);
    }
  }

  /** One rule for all numbers of a log, because most logs have several that only grow. */
  private void monotone(List<Variable> numbers) {
    List<Variable> some = numbers.stream().limit(MAX_OF_A_LOG).toList();
    Variable first = some.get(0);
    boolean isAlone = some.size() == 1;
    add(
        Template.MONOTONE,
        isAlone ? first.name() + "_does_not_fall" : "numbers_of_" + first.log() + "_do_not_fall",
        some.stream().map(Variable::name).collect(Collectors.joining(", "))
            + (isAlone ? " does" : " do")
            + " not become less at a node.",
        "NEVER EXISTS n IN NODES : (%s) FROM %s"
            .formatted(
                some.stream()
                    .map(number -> "%1$s@n < Prev(%1$s)@n".formatted(name(number)))
                    .collect(Collectors.joining(" OR ")),
                log(first)),
        some.stream().mapToInt(number -> measured(key(TraitKind.HIGH, number))).max().orElse(0));
  }

  /** A value that few runs have may have brothers that none has. */
  private void oneOf(Variable variable, List<Atom> values) {
    boolean areUsual =
        values.stream().allMatch(value -> 2 * runs(TraitKind.HELD, value) >= table.runs());
    if (values.size() >= 2 && areUsual && !table.isManyValued(vocabulary.number(variable))) {
      String all =
          values.stream()
              .map(value -> TraitVocabulary.literal(value.value()))
              .sorted()
              .collect(Collectors.joining(", "));
      add(
          Template.ONE_OF,
          variable.name() + "_is_known",
          "%s is one of %s.".formatted(variable.name(), all),
          "NEVER EXISTS n IN NODES : (%s@n NOT IN {%s}) FROM %s"
              .formatted(name(variable), all, log(variable)),
          runs(TraitKind.HELD, values.get(0)));
    }
  }

  /** Whether several runs reach the extreme of a number, which then is one of the system. */
  private boolean isStable(long key) {
    double extreme = most(key);
    long reached =
        IntStream.range(0, table.runs()).filter(run -> table.measure(key, run) == extreme).count();
    return reached >= 2 && 2 * reached >= measured(key);
  }

  private static String number(double value) {
    return String.valueOf((long) Math.ceil(value));
  }

  /** The least duration of two digits that is not below some microseconds. */
  private static String duration(double micros) {
    double unit = Math.pow(10, Math.max(0, Math.floor(Math.log10(Math.max(micros, 1))) - 1));
    return Literals.duration((long) (Math.ceil(micros / unit) * unit));
  }

  /** Whether a bound of time is less than most of a run, and holds in the runs held out. */
  private boolean isUseful(long key) {
    double bound = MARGIN * most(key, false);
    double heldOut = most(key, true);
    return bound > 0
        && bound <= LONG * table.shortestMicros()
        && (Double.isNaN(heldOut) || heldOut < bound);
  }

  private void agreement(Variable variable) {
    long key = key(TraitKind.DIFFERED, variable);
    if (!isField(variable) && !isSwitch(variable) && isUseful(key)) {
      String bound = duration(MARGIN * most(key, false));
      add(
          Template.AGREEMENT,
          variable.name() + "_agrees",
          "The nodes have one %s, except for less than %s.".formatted(variable.name(), bound),
          "NEVER COUNT(DISTINCT %s) >= 2 FOR %s FROM %s"
              .formatted(name(variable), bound, log(variable)),
          measured(key));
    }
  }

  private void ends(Atom atom) {
    long key = key(TraitKind.LASTED, atom);
    boolean isSwitch = isState(atom) && atom.value() == BooleanValue.TRUE;
    if (isSwitch && nodesWith(atom) >= 2 && isUseful(key)) {
      String bound = duration(MARGIN * most(key, false));
      add(
          Template.ENDS,
          atom.variable().name() + "_ends",
          "%s ends within %s.".formatted(atom.variable().name(), bound),
          "NEVER %s FOR %s FROM %s FOR EACH NODE n"
              .formatted(at(atom), bound, log(atom.variable())),
          measured(key));
    }
  }

  private void boundedLag(Variable variable) {
    long key = key(TraitKind.APART, variable);
    double bound = Math.ceil(MARGIN * most(key, false));
    double range = most(key(TraitKind.HIGH, variable)) + most(key(TraitKind.LOW, variable));
    boolean agrees = isUseful(key(TraitKind.DIFFERED, variable));
    boolean grows = !isField(variable) && !agrees && runs(TraitKind.FELL, variable) == 0;
    if (grows && bound > 0 && bound <= LONG * range && !(most(key, true) >= bound)) {
      add(
          Template.BOUNDED_LAG,
          variable.name() + "_lags_little",
          "The nodes' %s differ by less than %s.".formatted(variable.name(), number(bound)),
          "NEVER SPREAD(%s) >= %s FROM %s".formatted(name(variable), number(bound), log(variable)),
          measured(key));
    }
  }

  /** Whether the values of two numbers are in one range. */
  private boolean overlap(Variable one, Variable other) {
    return most(key(TraitKind.HIGH, one)) >= -most(key(TraitKind.LOW, other))
        && most(key(TraitKind.HIGH, other)) >= -most(key(TraitKind.LOW, one));
  }

  private void ordered(Variable greater, Variable less) {
    if (runs(TraitKind.BELOW, greater, less) == 0 && overlap(greater, less)) {
      Variable one = vocabulary.number(greater) < vocabulary.number(less) ? greater : less;
      add(
          Template.ORDERED,
          greater.name() + "_is_not_below_" + less.name(),
          "%s is at least %s at its node.".formatted(greater.name(), less.name()),
          "NEVER %s@n < %s@n FROM %s FOR EACH NODE n"
              .formatted(name(greater), name(less), log(greater)),
          runs(TraitKind.COMPARED, one, one.equals(greater) ? less : greater));
    }
  }

  private void backed(Variable backing, Variable backed) {
    long key = key(TraitKind.BACKED, backing, backed);
    long least = Math.round(-most(key));
    boolean isPlain = !isField(backing) && !isField(backed);
    if (isPlain && least >= 2 && overlap(backing, backed)) {
      add(
          Template.BACKED,
          backing.name() + "_backs_" + backed.name(),
          "At least %d nodes have a %s that is not below any node's %s."
              .formatted(least, backing.name(), backed.name()),
          "NEVER COUNT(%2$s) > 0 AND (COUNT n IN NODES : (%1$s@n >= MAX(%2$s))) < %3$d FROM %4$s"
              .formatted(name(backing), name(backed), least, log(backed)),
          measured(key));
    }
  }

  private void onePerNumber(Atom atom, Variable number) {
    long key = key(TraitKind.RANKED, atom, number);
    boolean isRanked = isState(atom) && !isField(number) && most(key) >= 1;
    if (isRanked && runs(TraitKind.CLASHED, atom, number) == 0 && nodesWith(atom) >= 2) {
      add(
          Template.ONE_PER_NUMBER,
          "one_" + atom.variable().name() + "_per_" + number.name(),
          "For each %s one node has %s.".formatted(number.name(), said(atom)),
          """
          SELECT %2$s FROM %4$s
            COMPUTE GLOBAL holders AND GLOBAL numbers
              AND (FOREACH n IN NODES : (
                holders := holders UNION (%1$s AND %2$s@n IS NOT NULL
                  ? ({Concat(String(%2$s@n), ' ', n)}) : ({}))))
              AND (FOREACH n IN NODES : (
                numbers := numbers UNION (%1$s AND %2$s@n IS NOT NULL ? ({%2$s@n}) : ({}))))
            WHEN Cardinality(holders) > Cardinality(numbers)\
          """
              .formatted(at(atom), name(number), atom, log(number)),
          measured(key));
    }
  }

  private void once(Variable field) {
    long key = key(TraitKind.LISTED, field);
    if (most(key) >= MIN_VALUES && runs(TraitKind.REPEATED, field) == 0) {
      add(
          Template.ONCE,
          field.name() + "_comes_once",
          "A value of %s comes once.".formatted(field.name()),
          """
          SELECT %1$s FROM %2$s
            COMPUTE GLOBAL known AND VAR again
              AND (again := (EXISTS x IN %1$s : (x IN known)))
              AND (known := known UNION %1$s)
            WHEN again OR COUNT(%1$s) > COUNT(DISTINCT %1$s)\
          """
              .formatted(name(field), log(field)),
          measured(key));
    }
  }

  private void answered(Variable asked, Answers answers) {
    Variable answer = answers.answer();
    boolean isExcused = !answers.excuse().equals(answer);
    boolean isPlainEnough =
        !isExcused || runs(TraitKind.UNANSWERED, asked, new Answers(answer, answer)) > 0;
    if (runs(TraitKind.UNANSWERED, asked, answers) > 0
        || !isPlainEnough
        || runs(TraitKind.REPEATED, asked) > 0
        || most(key(TraitKind.LISTED, asked)) < MIN_VALUES) {
      return;
    }
    long key = key(TraitKind.ANSWERED, asked, answers);
    String bound = duration(Math.max(1, MARGIN * most(key, false)));
    String excuse = isExcused ? " UNLESS r IN " + name(answers.excuse()) : "";
    add(
        Template.ANSWERED,
        asked.name() + "_is_followed_by_" + answer.name(),
        "A value of %s comes in %s within %s%s."
            .formatted(
                asked.name(),
                answer.name(),
                bound,
                isExcused ? ", or in " + answers.excuse().name() : ""),
        "ALWAYS TRUE THEN r IN %s WITHIN %s%s FROM %s FOR EACH VALUE r IN %s"
            .formatted(name(answer), bound, excuse, log(asked), name(asked)),
        measured(key));
  }

  private void inSet(Variable field, Variable set) {
    if (runs(TraitKind.MISSING, field, set) == 0) {
      add(
          Template.IN_SET,
          field.name() + "_is_in_" + set.name(),
          "A node has the value of %s in its %s.".formatted(field.name(), set.name()),
          "NEVER %1$s@n IS NOT NULL AND %1$s@n NOT IN Coalesce(%2$s@n, {}) FROM %3$s FOR EACH NODE n"
              .formatted(name(field), name(set), log(field)),
          runs(TraitKind.LOOKED_UP, field, set));
    }
  }
}
