// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.shiviz;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/**
 * A regular expression of ShiViz users, in JavaScript's dialect, translated for Java. Immutable.
 *
 * <p>The differences: a brace that is not a quantifier is a literal, as is a bracket or a double
 * ampersand inside a character class; {@code [^]} is any character; and a group's name may contain
 * underscores.
 */
final class ShivizPattern {
  private static final Pattern QUANTIFIER = Pattern.compile("\\{\\d+(,\\d*)?\\}");
  private static final Pattern GROUP_NAME = Pattern.compile("\\(\\?<(\\w+)>");
  private static final Pattern BACK_REFERENCE = Pattern.compile("\\\\k<(\\w+)>");

  private final Pattern pattern;
  private final Map<String, String> groups;

  private ShivizPattern(Pattern pattern, Map<String, String> groups) {
    this.pattern = pattern;
    this.groups = groups;
  }

  /**
   * Compiles an expression.
   *
   * @throws IllegalArgumentException if it is invalid; the message contains the position
   */
  static ShivizPattern compile(String expression) {
    Translation translation = new Translation(expression);
    try {
      Pattern compiled =
          Pattern.compile(translation.translate(), Pattern.MULTILINE | Pattern.UNIX_LINES);
      return new ShivizPattern(compiled, translation.groups);
    } catch (PatternSyntaxException e) {
      throw new IllegalArgumentException(
          "\"%s\" is not a regular expression: %s".formatted(expression, e.getDescription()), e);
    }
  }

  /** The names of its groups as written, in their order. */
  Set<String> groupNames() {
    return groups.keySet();
  }

  Matcher matcher(CharSequence text) {
    return pattern.matcher(text);
  }

  /** The name of a group in Java. */
  String javaName(String group) {
    String name = groups.get(group);
    if (name == null) {
      throw new IllegalArgumentException("no such group: " + group);
    }
    return name;
  }

  /** One pass over the expression's characters. */
  private static final class Translation {
    private final String in;
    private final StringBuilder out = new StringBuilder();
    private final Map<String, String> groups = new LinkedHashMap<>();
    private int at;

    Translation(String in) {
      this.in = in;
    }

    String translate() {
      while (at < in.length()) {
        char c = in.charAt(at);
        if (takeGroupName() || takeBackReference() || takeQuantifier()) {
          continue;
        }
        if (c == '\\') {
          take(2);
        } else if (c == '[') {
          characterClass();
        } else if (c == '{' || c == '}') {
          out.append('\\');
          take(1);
        } else {
          take(1);
        }
      }
      return out.toString();
    }

    private boolean takeGroupName() {
      Matcher name = matcherHere(GROUP_NAME);
      if (!name.lookingAt()) {
        return false;
      }
      out.append("(?<").append(javaNameOf(name.group(1))).append('>');
      at = name.end();
      return true;
    }

    private boolean takeBackReference() {
      Matcher reference = matcherHere(BACK_REFERENCE);
      if (!reference.lookingAt()) {
        return false;
      }
      out.append("\\k<").append(javaNameOf(reference.group(1))).append('>');
      at = reference.end();
      return true;
    }

    private boolean takeQuantifier() {
      Matcher quantifier = matcherHere(QUANTIFIER);
      if (out.isEmpty() || !quantifier.lookingAt()) {
        return false;
      }
      take(quantifier.end() - at);
      return true;
    }

    private Matcher matcherHere(Pattern wanted) {
      return wanted.matcher(in).region(at, in.length());
    }

    /**
     * The Java name of a group. Java's names consist of letters and digits only, so other names are
     * replaced by one that no user would write.
     */
    private String javaNameOf(String group) {
      boolean plain = group.matches("[a-zA-Z][a-zA-Z0-9]*");
      return groups.computeIfAbsent(group, name -> plain ? name : "g0x" + groups.size());
    }

    private void characterClass() {
      if (in.startsWith("[^]", at)) {
        out.append("[\\s\\S]");
        at += 3;
        return;
      }
      take(1);
      while (at < in.length() && in.charAt(at) != ']') {
        char c = in.charAt(at);
        if (c == '\\') {
          take(2);
        } else if (c == '[' || c == '&') {
          out.append('\\');
          take(1);
        } else {
          take(1);
        }
      }
      take(1);
    }

    private void take(int count) {
      int end = Math.min(in.length(), at + count);
      out.append(in, at, end);
      at = end;
    }
  }
}
