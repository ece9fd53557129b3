// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sonify.rule;

import io.retroscope.rql.ast.Statement;
import io.retroscope.rql.ast.Statement.Query;
import io.retroscope.sonify.bank.PatchBank;
import io.retroscope.sonify.soundscape.SoundRules;
import java.util.ArrayList;
import java.util.List;

/** The rules of a soundscape, from its statements. Immutable. */
public final class SoundscapeRules {
  private final List<Rule> rules;

  private SoundscapeRules(List<Rule> rules) {
    this.rules = List.copyOf(rules);
  }

  /**
   * The rules of statements; those without PLAY are silent, but count.
   *
   * @throws io.retroscope.sonify.bank.UnknownInstrumentException if an instrument is unknown
   */
  public static SoundscapeRules of(List<? extends Statement> statements, PatchBank bank) {
    List<Rule> rules = new ArrayList<>();
    for (int i = 0; i < statements.size(); i++) {
      if (statements.get(i) instanceof Query query) {
        Rule.of(i + 1, query, bank).ifPresent(rules::add);
      }
    }
    return new SoundscapeRules(rules);
  }

  /** The rules, in the order of their statements. */
  public List<Rule> rules() {
    return rules;
  }

  /** The rules that have state. */
  public SoundRules stateful(boolean heartbeat) {
    return new SoundRules(
        of(Rule.Kind.LEVELS).stream().map(Rule::levels).toList(),
        of(Rule.Kind.BACKGROUND).stream().map(Rule::background).toList(),
        of(Rule.Kind.ALARM).stream().map(Rule::alarm).toList(),
        heartbeat);
  }

  /** Whether something sounds all the time. */
  public boolean hasBackground() {
    return !of(Rule.Kind.BACKGROUND).isEmpty();
  }

  /** The rules of a kind. */
  public List<Rule> of(Rule.Kind kind) {
    return rules.stream().filter(rule -> rule.kind() == kind).toList();
  }

  /** A sentence for each pair of rules that a listener cannot distinguish. */
  public List<String> alikeWarnings() {
    List<String> warnings = new ArrayList<>();
    for (int i = 0; i < rules.size(); i++) {
      for (int j = i + 1; j < rules.size(); j++) {
        if (soundAlike(rules.get(i), rules.get(j))) {
          warnings.add(
              "the rules %s and %s sound alike: give one of them another patch%s"
                  .formatted(
                      rules.get(i).name(),
                      rules.get(j).name(),
                      rules.get(i).kind() == Rule.Kind.ROWS ? " or a NOTE an octave away" : ""));
        }
      }
    }
    return warnings;
  }

  /** Rules with one patch in one register; the register of computed notes is not known. */
  private static boolean soundAlike(Rule a, Rule b) {
    return a.patch().name().equals(b.patch().name())
        && a.kind() == b.kind()
        && Math.abs(a.key() - b.key()) < Rule.OCTAVE;
  }
}
