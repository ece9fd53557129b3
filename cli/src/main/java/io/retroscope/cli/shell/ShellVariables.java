// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.shell;

import io.retroscope.rql.parser.RqlToken;
import io.retroscope.rql.parser.RqlToken.Kind;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The variables of {@code \set}. In a statement, {@code :name} is replaced by the value as it is,
 * and {@code :'name'} by the value as a string. Used by one thread.
 */
final class ShellVariables {
  private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");

  private final Map<String, String> values = new TreeMap<>();

  /** Whether a word can be the name of a variable. */
  static boolean isName(String word) {
    return NAME.matcher(word).matches();
  }

  void set(String name, String value) {
    values.put(name, value);
  }

  /** Removes a variable; returns whether it was set. */
  boolean unset(String name) {
    return values.remove(name) != null;
  }

  /** Each variable with its value, a line for each. */
  String listed() {
    return values.entrySet().stream()
        .map(entry -> ":" + entry.getKey() + " " + entry.getValue() + "\n")
        .collect(Collectors.joining());
  }

  /**
   * Returns the text with the values of its variables. A colon before any other word is left: it is
   * also part of quantifiers and of conditions.
   */
  String resolve(String text) {
    if (values.isEmpty()) {
      return text;
    }
    StringBuilder resolved = new StringBuilder();
    int copied = 0;
    List<RqlToken> tokens = RqlToken.of(text);
    for (int i = 0; i + 1 < tokens.size(); i++) {
      RqlToken colon = tokens.get(i);
      RqlToken name = tokens.get(i + 1);
      boolean adjacent = colon.range().end() == name.range().start();
      String value = adjacent && colon.text().equals(":") ? value(name) : null;
      if (value != null) {
        resolved.append(text, copied, colon.range().start()).append(value);
        copied = name.range().end();
      }
    }
    return resolved.append(text, copied, text.length()).toString();
  }

  private @Nullable String value(RqlToken name) {
    if (name.kind() == Kind.STRING) {
      String value = values.get(name.text().substring(1, name.text().length() - 1));
      return value == null ? null : "'" + value.replace("'", "''") + "'";
    }
    return name.kind() == Kind.NAME || name.kind() == Kind.KEYWORD ? values.get(name.text()) : null;
  }
}
