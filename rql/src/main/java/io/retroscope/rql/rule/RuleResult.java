// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.rule;

import java.util.List;
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
    List<EpisodeExplanation> explanations) {
  /** The possible verdicts. */
  public enum Outcome {
    /** Nothing contradicts the rule, and nothing is missing. */
    HOLDS,
    /** The rule is broken. */
    BROKEN,
    /** Nothing contradicts the rule, but something is missing that could. */
    INCONCLUSIVE,
    /** The rule has an error. */
    WRONG
  }

  /** Copies the lists. */
  public RuleResult {
    warnings = List.copyOf(warnings);
    explanations = List.copyOf(explanations);
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
        some);
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
