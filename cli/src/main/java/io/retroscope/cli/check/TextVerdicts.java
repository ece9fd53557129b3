package io.retroscope.cli.check;

import io.retroscope.cli.print.CutTable;
import io.retroscope.rql.print.ValueText;
import io.retroscope.rql.rule.Episode;
import io.retroscope.rql.rule.RuleResult;
import io.retroscope.rql.rule.RuleResult.Outcome;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

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
      case HOLDS -> {}
      case BROKEN -> {
        line(result.description());
        brokenLines(result).forEach(this::line);
      }
      case INCONCLUSIVE -> line(result.reason());
      case WRONG -> result.reason().lines().forEach(this::line);
    }
    result.warnings().forEach(warning -> line("warning: " + warning));
    out.flush();
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

  /** The lines that show when and how a rule was broken. */
  static List<String> brokenLines(RuleResult result) {
    if (result.first().isEmpty()) {
      return List.of("no cut of the range fulfils it");
    }
    Episode first = result.first().get();
    List<String> lines = new ArrayList<>();
    if (first.time().isPresent()) {
      lines.add((result.episodes() == 1 ? "at " : "first at ") + when(first));
    }
    lines.add("episode " + first.id());
    lines.addAll(CutTable.lines(first.cut()));
    return lines;
  }

  /** The time of an episode, its uncertainty, and its duration. */
  private static String when(Episode episode) {
    StringBuilder text = new StringBuilder(episode.time().orElse(""));
    episode.uncertaintyMicros().ifPresent(micros -> text.append(" ± ").append(duration(micros)));
    episode.durationMicros().ifPresent(micros -> text.append(", for ").append(duration(micros)));
    return text.append(episode.open() ? " up to the end of the range" : "").toString();
  }

  private static String duration(long micros) {
    if (micros >= 1_000_000) {
      return String.format(Locale.ROOT, "%,.3f s", micros / 1e6);
    }
    return micros >= 1_000 ? String.format(Locale.ROOT, "%.3f ms", micros / 1e3) : micros + " µs";
  }

  private void line(String text) {
    if (!text.isEmpty()) {
      out.println(" ".repeat(WORD_WIDTH) + ValueText.printable(text));
    }
  }

  /** Prints the totals. */
  public void end(List<RuleResult> results) {
    List<String> parts = new ArrayList<>();
    for (Outcome outcome : Outcome.values()) {
      long count = count(results, outcome);
      if (count > 0) {
        parts.add(count + " " + (outcome == Outcome.HOLDS && count > 1 ? "hold" : word(outcome)));
      }
    }
    out.println(
        results.size() + " " + plural(results.size(), "rule") + ": " + String.join(", ", parts));
    out.flush();
  }

  static long count(List<RuleResult> results, Outcome outcome) {
    return results.stream().filter(result -> result.outcome() == outcome).count();
  }

  static String word(Outcome outcome) {
    return outcome.name().toLowerCase(Locale.ROOT);
  }
}
