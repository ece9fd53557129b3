// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recorder;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * A filter by name of the key-value pairs of a log line, because pairs can contain secrets.
 * Immutable.
 *
 * <p>Patterns are names in which {@code *} matches any text; case is ignored. A pair is recorded if
 * a pattern includes its name and none excludes it.
 */
public final class FieldFilter {
  /** Accepts everything except names that commonly belong to secrets. */
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
   * This filter with other included names.
   *
   * @param patterns separated by commas
   */
  public FieldFilter including(String patterns) {
    return new FieldFilter(patterns(patterns), excluded);
  }

  /**
   * This filter with other excluded names, which replace the previous ones.
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
