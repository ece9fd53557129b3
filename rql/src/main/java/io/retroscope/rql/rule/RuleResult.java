// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.rule;

import io.retroscope.rql.outer.VerdictRow;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * The verdict on one rule.
 *
 * @param rule its name
 * @param place the file and the line of its definition
 * @param description the comment before it; may be empty
 * @param reason why it is inconclusive, why the result is provisional, or the printed errors of a
 *     wrong rule; otherwise empty
 * @param episodes their number
 * @param first the first that decided; empty if none did
 * @param borderline whether the clocks' uncertainty could reverse the verdict; empty if that is not
 *     known
 * @param warnings that affect the verdict's meaning
 * @param nanos the time that the evaluation took
 * @param explanations of the first episodes, see {@link EpisodeExplanations}; empty if none is
 *     wanted
 * @param chances how often its parts allowed that it is broken; empty if that was not counted
 */
public record RuleResult(
    String rule,
    String place,
    String description,
    Outcome outcome,
    String reason,
    long episodes,
    Optional<Episode> first,
    Optional<Boolean> borderline,
    List<String> warnings,
    long nanos,
    List<EpisodeExplanation> explanations,
    List<Chance> chances) {
  /** The possible verdicts. */
  public enum Outcome {
    /** Nothing contradicts the rule, and nothing is missing. */
    HOLDS,
    /** The rule is broken. */
    BROKEN,
    /** Nothing contradicts the rule, but something is missing that could. */
    INCONCLUSIVE,
    /** The rule has an error. */
    WRONG,
    /** It is SOMETIMES, and was not fulfilled; another run may do so. */
    NOT_YET,
    /** It holds, but only because what could break it never happened. */
    VACUOUS;

    /** The word for users. */
    public String word() {
      return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }

    /** Whether the rule is neither fulfilled nor broken. */
    public boolean isOpen() {
      return this == INCONCLUSIVE || this == NOT_YET || this == VACUOUS;
    }
  }

  /** Copies the lists. */
  public RuleResult {
    warnings = List.copyOf(warnings);
    explanations = List.copyOf(explanations);
    chances = List.copyOf(chances);
  }

  /** Creates a result without explanations. */
  RuleResult(
      String rule,
      String place,
      String description,
      Outcome outcome,
      String reason,
      long episodes,
      Optional<Episode> first,
      Optional<Boolean> borderline,
      List<String> warnings,
      long nanos) {
    this(
        rule,
        place,
        description,
        outcome,
        reason,
        episodes,
        first,
        borderline,
        warnings,
        nanos,
        List.of(),
        List.of());
  }

  /** Returns the same result with explanations. */
  public RuleResult explained(List<EpisodeExplanation> some) {
    return new RuleResult(
        rule,
        place,
        description,
        outcome,
        reason,
        episodes,
        first,
        borderline,
        warnings,
        nanos,
        some,
        chances);
  }

  /** Returns the same result with chances. */
  public RuleResult with(List<Chance> counted) {
    return with(outcome, reason, counted);
  }

  /** Returns the result of a rule that nothing could break. */
  RuleResult vacuous(String why) {
    return with(Outcome.VACUOUS, why, chances);
  }

  private RuleResult with(Outcome other, String why, List<Chance> counted) {
    return new RuleResult(
        rule,
        place,
        description,
        other,
        why,
        episodes,
        first,
        borderline,
        warnings,
        nanos,
        explanations,
        counted);
  }

  /**
   * Returns the same result over several runs.
   *
   * @param all the number of episodes of all runs
   * @param duration the time of all evaluations
   */
  public RuleResult over(Outcome other, String why, long all, long duration) {
    return new RuleResult(
        rule,
        place,
        description,
        other,
        why,
        all,
        first,
        borderline,
        warnings,
        duration,
        explanations,
        chances);
  }

  /** Whether the reason is that nothing happened that the rule is about. */
  boolean isOfNothing() {
    return reason.equals(VerdictRow.NOTHING_RECORDED)
        || reason.equals(VerdictRow.NOTHING_TRIGGERED);
  }

  /** Whether something is missing that could have fulfilled SOMETIMES. */
  public boolean mayHaveMissedIt() {
    return outcome == Outcome.NOT_YET && !reason.isEmpty() && !isOfNothing();
  }

  /** Why missing events could undo a verdict that is decided; empty if they could not. */
  public Optional<String> provisional() {
    boolean isDecided = outcome == Outcome.HOLDS || outcome == Outcome.BROKEN;
    return isDecided && !reason.isEmpty() ? Optional.of(reason) : Optional.empty();
  }

  /** The result of a statement that is not a rule. */
  static RuleResult wrong(String rule, String place, String description, String errors) {
    return new RuleResult(
        rule,
        place,
        description,
        Outcome.WRONG,
        errors,
        0,
        Optional.empty(),
        Optional.empty(),
        List.of(),
        0);
  }
}
