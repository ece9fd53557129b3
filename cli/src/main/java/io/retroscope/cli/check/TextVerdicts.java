// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.check;

import io.retroscope.rql.print.ValueText;
import io.retroscope.rql.rule.EpisodeText;
import io.retroscope.rql.rule.RuleResult;
import io.retroscope.rql.rule.RuleResult.Outcome;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Verdicts for reading, each printed as soon as it is known. Used by one thread. */
public final class TextVerdicts {
  private static final int WORD_WIDTH = 14;

  private final PrintWriter out;

  /** Creates a printer; the caller closes the writer. */
  public TextVerdicts(PrintWriter out) {
    this.out = out;
  }

  /** Prints one verdict. */
  public void print(RuleResult result) {
    String word = word(result.outcome());
    out.print(word + " ".repeat(WORD_WIDTH - word.length()));
    out.println(result.rule() + " (" + result.place() + ")" + headline(result));
    switch (result.outcome()) {
      case HOLDS -> result.provisional().ifPresent(this::line);
      case BROKEN -> {
        line(result.description());
        EpisodeText.lines(result).forEach(this::line);
        ExplanationText.lines(result).forEach(this::line);
      }
      case INCONCLUSIVE, VACUOUS -> line(result.reason());
      case NOT_YET ->
          line(
              result.reason().isEmpty()
                  ? "no cut fulfils it; another run may"
                  : "no cut fulfils it so far: " + result.reason());
      case WRONG -> result.reason().lines().forEach(this::line);
    }
    borderline(result).ifPresent(this::line);
    result.warnings().forEach(warning -> line("warning: " + warning));
    out.flush();
  }

  /** The sentence about a verdict that the clocks' uncertainty could reverse. */
  static Optional<String> borderline(RuleResult result) {
    return result.borderline().orElse(false)
        ? Optional.of("borderline: the clocks' uncertainty could reverse the verdict")
        : Optional.empty();
  }

  private static String headline(RuleResult result) {
    return result.outcome() == Outcome.BROKEN && result.episodes() > 0
        ? String.format(
            Locale.ROOT, ": %,d %s", result.episodes(), plural(result.episodes(), "episode"))
        : "";
  }

  private static String plural(long count, String word) {
    return count == 1 ? word : word + "s";
  }

  private void line(String text) {
    if (!text.isEmpty()) {
      out.println(" ".repeat(WORD_WIDTH) + ValueText.printable(text));
    }
  }

  /**
   * Prints the totals.
   *
   * @param cost the blocks and events read; may be empty
   */
  public void end(List<RuleResult> results, List<String> cost) {
    List<String> parts = new ArrayList<>();
    for (Outcome outcome : Outcome.values()) {
      long count = count(results, outcome);
      if (count > 0) {
        parts.add(count + " " + (outcome == Outcome.HOLDS && count > 1 ? "hold" : word(outcome)));
      }
    }
    out.println(
        results.size() + " " + plural(results.size(), "rule") + ": " + String.join(", ", parts));
    cost.forEach(out::println);
    out.flush();
  }

  static long count(List<RuleResult> results, Outcome outcome) {
    return results.stream().filter(result -> result.outcome() == outcome).count();
  }

  static String word(Outcome outcome) {
    return outcome.word();
  }
}
