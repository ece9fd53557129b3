// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.shiviz;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.regex.Matcher;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ShivizPatternTest {
  /** JavaScript expressions that Java refuses or interprets differently, with matching texts. */
  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '~',
      value = {
        "(?<clock>{.*}), {\"a\":1}",
        "{a}, {a}",
        "a{2}, aa",
        "a{2;}, a{2;}",
        "~a{1,2}b~, aab",
        "~x{,5}~, ~x{,5}~",
        "[[]a[{}]&[&&]*, [a{&&&",
        "a[^]b, a-b",
        "\\{a\\}, {a}",
        "(?<my_host>.)-\\k<my_host>, z-z",
      })
  void compile_javascriptDialect_matchesAsThere(String expression, String text) {
    assertThat(ShivizPattern.compile(expression).matcher(text).matches()).isTrue();
  }

  @Test
  void compile_underscoresInGroupNames_areFoundByTheirNames() {
    ShivizPattern pattern = ShivizPattern.compile("(?<node_id>\\w+) (?<node>\\w+)");
    assertThat(pattern.groupNames()).containsExactly("node_id", "node");
    Matcher matcher = pattern.matcher("one two");
    assertThat(matcher.matches()).isTrue();
    assertThat(matcher.group(pattern.javaName("node_id"))).isEqualTo("one");
    assertThat(matcher.group(pattern.javaName("node"))).isEqualTo("two");
  }

  @Test
  void compile_caretAndDollar_areEachLines() {
    assertThat(ShivizPattern.compile("^b$").matcher("a\nb\nc").find()).isTrue();
  }

  @Test
  void compile_broken_saysWhy() {
    assertThatThrownBy(() -> ShivizPattern.compile("(?<host>"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("\"(?<host>\" is not a regular expression: Unclosed group");
  }
}
