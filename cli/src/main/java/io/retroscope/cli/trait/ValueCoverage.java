// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.trait;

import io.retroscope.cli.runs.RecordedRun;
import io.retroscope.cli.runs.RunPool;
import io.retroscope.cli.trait.TraitVocabulary.Atom;
import io.retroscope.cli.trait.TraitVocabulary.Variable;
import io.retroscope.event.Value;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;

/**
 * The values that variables had in some run, and the pairs of values that two nodes had at one cut:
 * of BOOLEANs and of variables with few values. Immutable.
 */
public final class ValueCoverage {
  private final TraitTable table;

  private ValueCoverage(TraitTable table) {
    this.table = table;
  }

  /**
   * Returns a line for each variable.
   *
   * @param names of the variables, in any log
   * @throws io.retroscope.cli.process.CommandException if a run cannot be read
   * @throws InterruptedException if the thread is interrupted
   */
  public static List<String> lines(
      List<RecordedRun> runs, Set<String> names, TraitReader reader, RunPool pool)
      throws InterruptedException {
    return names.isEmpty()
        ? List.of()
        : new ValueCoverage(reader.read(runs, TraitScope.valuesOf(names), pool)).lines(names);
  }

  private List<String> lines(Set<String> names) {
    TraitVocabulary vocabulary = table.vocabulary();
    TreeMap<String, List<Atom>> byVariable = new TreeMap<>();
    for (long key : table.keys()) {
      if (TraitVocabulary.kind(key) == TraitKind.HELD
          && vocabulary.first(key) instanceof Atom atom
          && names.contains(atom.variable().name())
          && !table.isManyValued(vocabulary.number(atom.variable()))) {
        Variable variable = atom.variable();
        byVariable
            .computeIfAbsent(variable.log() + "." + variable.name(), name -> new ArrayList<>())
            .add(atom);
      }
    }
    List<String> lines = new ArrayList<>();
    byVariable.forEach(
        (name, atoms) -> {
          if (atoms.size() <= VariableHistory.MAX_VALUES && isEnumerated(atoms)) {
            lines.add(isFollowed(atoms) ? line(name, atoms) : notFollowed(name));
          }
        });
    if (table.isCut()) {
      lines.add(
          "not all: a run has more than %,d of the variables"
              .formatted(TraitCollector.MAX_VARIABLES));
    }
    return lines;
  }

  private boolean isFollowed(List<Atom> atoms) {
    return atoms.stream().mapToInt(table.vocabulary()::number).noneMatch(table::isUnfollowed);
  }

  private static String notFollowed(String name) {
    return "%s: not followed, because the variables of a run have more than %,d values"
        .formatted(name, TraitCollector.MAX_ATOMS);
  }

  private static boolean isEnumerated(List<Atom> atoms) {
    return atoms.stream()
        .map(Atom::value)
        .allMatch(
            value -> value instanceof Value.BooleanValue || value instanceof Value.StringValue);
  }

  private String line(String name, List<Atom> atoms) {
    List<Atom> ordered =
        atoms.stream().sorted((one, other) -> text(one).compareTo(text(other))).toList();
    List<String> seen = new ArrayList<>();
    List<String> never = new ArrayList<>();
    for (int i = 0; i < ordered.size(); i++) {
      for (int j = i; j < ordered.size(); j++) {
        String pair = text(ordered.get(i)) + " and " + text(ordered.get(j));
        (isPair(ordered.get(i), ordered.get(j)) ? seen : never).add(pair);
      }
    }
    String values = String.join(", ", ordered.stream().map(ValueCoverage::text).toList());
    return "%s: %s; at two nodes: %s; never at two nodes: %s"
        .formatted(name, values, joined(seen), joined(never));
  }

  private static String joined(List<String> pairs) {
    return pairs.isEmpty() ? "none" : String.join(", ", pairs);
  }

  private boolean isPair(Atom one, Atom other) {
    int first = table.vocabulary().number(one);
    int second = table.vocabulary().number(other);
    long key =
        first == second
            ? TraitVocabulary.key(TraitKind.HELD_TWICE, first, 0)
            : TraitVocabulary.key(
                TraitKind.AT_ONCE, Math.min(first, second), Math.max(first, second));
    return !table.having(key).isEmpty();
  }

  private static String text(Atom atom) {
    return TraitVocabulary.literal(atom.value());
  }
}
