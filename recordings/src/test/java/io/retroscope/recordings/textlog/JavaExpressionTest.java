// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recordings.textlog;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A translated expression matches what RE2's matches, with the same groups. */
class JavaExpressionTest {
  private static final List<String> ATOMS =
      List.of(
          "a",
          "b",
          "ab",
          ".",
          "\\w",
          "\\d",
          "\\s",
          "\\S",
          "[ab]",
          "[^a\\s]",
          "[\\w.$-]",
          "\\.",
          "\\[",
          "x{2}",
          "\\b",
          "^",
          "$",
          "é",
          "-");
  private static final List<String> REPETITIONS =
      List.of("", "", "", "*", "+", "?", "*?", "+?", "??", "{1,2}");

  private static String expression(Random random, int depth) {
    StringBuilder text = new StringBuilder();
    int parts = 1 + random.nextInt(4);
    for (int i = 0; i < parts; i++) {
      String atom = ATOMS.get(random.nextInt(ATOMS.size()));
      if (depth > 0 && random.nextInt(3) == 0) {
        String open = List.of("(", "(?:", "(?P<g_%d>", "(?<h%d>").get(random.nextInt(4));
        atom = open.formatted(random.nextInt(1_000_000)) + expression(random, depth - 1) + ")";
      }
      text.append(atom);
      boolean isRepeated = !atom.equals("^") && !atom.equals("$") && !atom.equals("\\b");
      text.append(isRepeated ? REPETITIONS.get(random.nextInt(REPETITIONS.size())) : "");
      text.append(random.nextInt(8) == 0 ? "|" : "");
    }
    return text.toString();
  }

  private static String line(Random random) {
    String characters = "aabbx12. \t[]$-_é\u000B\r";
    StringBuilder text = new StringBuilder();
    for (int i = random.nextInt(14); i > 0; i--) {
      text.append(characters.charAt(random.nextInt(characters.length())));
    }
    return text.toString();
  }

  @Test
  void translated_matchesAsRe2() {
    long seed = Long.getLong("seed", 1);
    Random random = new Random(seed);
    int translated = 0;
    for (int i = 0; i < 4_000; i++) {
      String expression = expression(random, 2);
      Optional<LinearPattern> linear = compiled(expression);
      Optional<Pattern> java = linear.flatMap(given -> JavaExpression.of(expression));
      if (java.isEmpty()) {
        continue;
      }
      translated++;
      for (int j = 0; j < 10; j++) {
        String line = line(random);
        assertThat(found(java.get().matcher(line)))
            .as("seed %d: /%s/ in \"%s\"", seed, expression, line)
            .isEqualTo(found(linear.orElseThrow().matcher(line)));
      }
    }
    assertThat(translated).isGreaterThan(1_000);
  }

  private static Optional<LinearPattern> compiled(String expression) {
    try {
      return Optional.of(new LinearPattern(expression));
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  private static List<Integer> found(java.util.regex.Matcher match) {
    List<Integer> places = new ArrayList<>();
    if (match.find()) {
      for (int group = 0; group <= match.groupCount(); group++) {
        places.add(match.start(group));
        places.add(match.end(group));
      }
    }
    return places;
  }

  private static List<Integer> found(com.google.re2j.Matcher match) {
    List<Integer> places = new ArrayList<>();
    if (match.find()) {
      for (int group = 0; group <= match.groupCount(); group++) {
        places.add(match.start(group));
        places.add(match.end(group));
      }
    }
    return places;
  }

  /** The parts that usual definitions have, so that they are read fast. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "^(?<timestamp>\\d{4}-\\d{2}-\\d{2}) \\[(?<thread>[^\\]]+)\\] (?<level>\\w+)\\s+(?<b>.*)$",
        "(?:\\.\\d+)?(?P<my_name>[\\w.$-]+)",
        "^\\((?<a>[^()]*)\\)|\\bx\\b"
      })
  void usualExpression_isTranslated(String expression) {
    assertThat(JavaExpression.of(expression)).isPresent();
  }

  /** What means something else to Java, or may. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "(?i)a",
        "[[:alpha:]]",
        "[a&&b]",
        "\\pL",
        "\\v",
        "\\x41",
        "\\Qa\\E",
        "(a*)*",
        "(a?)+",
        "(|a){2}",
        "[]a]",
        "a{,2}",
        "\\z",
        "[\\S]"
      })
  void otherExpression_isNotTranslated(String expression) {
    assertThat(JavaExpression.of(expression)).isEmpty();
  }
}
