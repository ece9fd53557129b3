// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.shell;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jline.reader.Candidate;
import org.jline.reader.CompletingParsedLine;
import org.jline.reader.CompletionMatcher;
import org.jline.reader.LineReader;
import org.jspecify.annotations.Nullable;

/**
 * A filter of candidates for a word: those with it as a prefix or else those that contain it,
 * case-insensitively. A name that requires backquotes is also found without them. Used by one
 * thread.
 */
final class NameMatcher implements CompletionMatcher {
  private String word = "";
  private List<Candidate> matches = List.of();

  @Override
  public void compile(
      Map<LineReader.Option, Boolean> options,
      boolean prefix,
      CompletingParsedLine line,
      boolean caseInsensitive,
      int errors,
      String originalGroupName) {
    word = line.word().substring(0, line.wordCursor());
    matches = List.of();
  }

  @Override
  public List<Candidate> matches(List<Candidate> candidates) {
    if (word.startsWith("`")) {
      matches = candidates.stream().filter(c -> c.value().startsWith(word)).toList();
      return matches;
    }
    String wanted = key(word);
    matches = candidates.stream().filter(c -> key(c.value()).startsWith(wanted)).toList();
    if (matches.isEmpty()) {
      matches = candidates.stream().filter(c -> key(c.value()).contains(wanted)).toList();
    }
    return matches;
  }

  private static String key(String text) {
    String name = text.startsWith("`") ? text.substring(1) : text;
    return name.toLowerCase(Locale.ROOT);
  }

  @Override
  public @Nullable Candidate exactMatch() {
    return matches.stream().filter(c -> c.value().equals(word)).findFirst().orElse(null);
  }

  @Override
  public String getCommonPrefix() {
    String common = matches.isEmpty() ? "" : matches.get(0).value();
    for (Candidate candidate : matches) {
      int length = 0;
      String value = candidate.value();
      while (length < Math.min(common.length(), value.length())
          && common.charAt(length) == value.charAt(length)) {
        length++;
      }
      common = common.substring(0, length);
    }
    return common;
  }
}
