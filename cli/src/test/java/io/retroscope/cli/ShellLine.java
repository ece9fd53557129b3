// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli;

import java.util.ArrayList;
import java.util.List;

/**
 * The words of shell commands, as a shell splits them: quotes, comments, and the operators between
 * commands. Nothing is substituted.
 */
final class ShellLine {
  private static final String OPERATORS = "|&;\n()";

  private final String text;
  private final List<List<String>> commands = new ArrayList<>();
  private List<String> words = new ArrayList<>();
  private final StringBuilder word = new StringBuilder();
  private boolean inWord;
  private int at;

  private ShellLine(String text) {
    this.text = text;
  }

  /** The simple commands of a text, each with its words; redirections are left out. */
  static List<List<String>> commands(String text) {
    ShellLine line = new ShellLine(text.replaceAll("\\\\\n\\s*", " "));
    line.read();
    return line.commands;
  }

  private void read() {
    while (at < text.length()) {
      char c = text.charAt(at++);
      if (c == '\'' || c == '"') {
        quoted(c);
      } else if (c == '\\' && at < text.length()) {
        add(text.charAt(at++));
      } else if (c == '#' && !inWord) {
        skipTo('\n');
      } else if (c == '$' && at < text.length() && text.charAt(at) == '(') {
        substitution();
      } else if (c == '>' || c == '<') {
        redirection();
      } else if (OPERATORS.indexOf(c) >= 0) {
        endCommand();
      } else if (Character.isWhitespace(c)) {
        endWord();
      } else {
        add(c);
      }
    }
    endCommand();
  }

  private void add(char c) {
    word.append(c);
    inWord = true;
  }

  private void quoted(char quote) {
    inWord = true;
    while (at < text.length() && text.charAt(at) != quote) {
      if (quote == '"' && text.charAt(at) == '\\' && at + 1 < text.length()) {
        at++;
      }
      word.append(text.charAt(at++));
    }
    at++;
  }

  private void substitution() {
    int depth = 0;
    word.append('$');
    inWord = true;
    do {
      char c = text.charAt(at++);
      depth += c == '(' ? 1 : c == ')' ? -1 : 0;
      word.append(c);
    } while (depth > 0 && at < text.length());
  }

  /** Skips the file, and the number before the sign. */
  private void redirection() {
    if (word.toString().matches("\\d")) {
      word.setLength(0);
      inWord = false;
    }
    endWord();
    while (at < text.length() && "<>&| ".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
    while (at < text.length() && " \n|;".indexOf(text.charAt(at)) < 0) {
      at++;
    }
  }

  private void skipTo(char end) {
    while (at < text.length() && text.charAt(at) != end) {
      at++;
    }
  }

  private void endWord() {
    if (inWord) {
      words.add(word.toString());
    }
    word.setLength(0);
    inWord = false;
  }

  private void endCommand() {
    endWord();
    if (!words.isEmpty()) {
      commands.add(words);
      words = new ArrayList<>();
    }
  }
}
