package io.retroscope.recorder;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * Decides by name which key-value pairs of a log line are recorded: pairs can hold secrets.
 * Immutable.
 *
 * <p>Patterns are names in which {@code *} stands for anything; case does not matter. A pair is
 * recorded if a pattern includes its name and none excludes it.
 */
public final class FieldFilter {
  /** Everything but names that commonly hold secrets. */
  public static final FieldFilter DEFAULT =
      new FieldFilter(
          patterns("*"),
          patterns(
              "*password*,*passwd*,*secret*,*token*,*authorization*,*credential*,*api*key*,*cookie*"));

  private final List<Pattern> included;
  private final List<Pattern> excluded;

  private FieldFilter(List<Pattern> included, List<Pattern> excluded) {
    this.included = included;
    this.excluded = excluded;
  }

  /**
   * The same with other names included.
   *
   * @param patterns separated by commas
   */
  public FieldFilter including(String patterns) {
    return new FieldFilter(patterns(patterns), excluded);
  }

  /**
   * The same with other names excluded, in place of those before.
   *
   * @param patterns separated by commas; empty for none
   */
  public FieldFilter excluding(String patterns) {
    return new FieldFilter(included, patterns(patterns));
  }

  /** Whether a pair of that name is recorded. */
  public boolean accepts(String name) {
    return matchesAny(included, name) && !matchesAny(excluded, name);
  }

  private static boolean matchesAny(List<Pattern> patterns, String name) {
    return patterns.stream().anyMatch(pattern -> pattern.matcher(name).matches());
  }

  private static List<Pattern> patterns(String commaSeparated) {
    return Arrays.stream(commaSeparated.split(",", -1))
        .map(String::strip)
        .filter(name -> !name.isEmpty())
        .map(FieldFilter::pattern)
        .toList();
  }

  private static Pattern pattern(String name) {
    String[] literals = name.toLowerCase(Locale.ROOT).split("\\*", -1);
    String regex = String.join(".*", Arrays.stream(literals).map(Pattern::quote).toList());
    return Pattern.compile(regex, Pattern.CASE_INSENSITIVE | Pattern.UNICODE_CASE | Pattern.DOTALL);
  }
}
