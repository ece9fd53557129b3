// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.shell;

import io.retroscope.cli.shell.ShellInput.Command;
import io.retroscope.cli.shell.ShellInput.StatementText;
import io.retroscope.rql.parser.ParseLimits;
import io.retroscope.rql.parser.RqlToken;
import io.retroscope.rql.parser.RqlToken.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A splitter of lines into statements and backslash commands. A statement continues up to its
 * semicolon. A command takes one line, and is recognized only where no statement has begun, because
 * a backslash is also RQL's set difference. Used by one thread.
 */
final class StatementSplitter {
  /** Common words for commands. */
  private static final Map<String, String> WORDS =
      Map.of("help", "\\?", "?", "\\?", "exit", "\\q", "quit", "\\q");

  private static final Pattern HELP_ON = Pattern.compile("help\\s+(.*)", Pattern.CASE_INSENSITIVE);

  private final StringBuilder pending = new StringBuilder();

  /** Adds a line; returns the inputs that it completes. */
  List<ShellInput> line(String line) {
    Optional<Command> command = command(line);
    if (command.isPresent() && nothingBegun()) {
      pending.setLength(0);
      return List.of(command.get());
    }
    if (nothingBegun() && isLoneName(line)) {
      pending.setLength(0);
      return List.of(
          new StatementText(
              line.strip())); // No statement begins with a name, so report the error immediately.
    }
    pending.append(line).append('\n');
    if (pending.length() > ParseLimits.DEFAULT.maxCharacters()) {
      return end(); // The parser reports the limit.
    }
    return line.indexOf(';') < 0 ? List.of() : complete();
  }

  private static Optional<Command> command(String line) {
    String text = line.strip();
    if (text.startsWith("\\")) {
      int blank = 0;
      while (blank < text.length() && !Character.isWhitespace(text.charAt(blank))) {
        blank++;
      }
      return Optional.of(new Command(text.substring(0, blank), text.substring(blank).strip()));
    }
    Matcher help = HELP_ON.matcher(text);
    if (help.matches()) {
      return Optional.of(new Command("\\?", help.group(1)));
    }
    String word = (text.endsWith(";") ? text.substring(0, text.length() - 1) : text).strip();
    return Optional.ofNullable(WORDS.get(word.toLowerCase(Locale.ROOT)))
        .map(name -> new Command(name, ""));
  }

  /**
   * A command within a statement, which takes it only from a terminal: in a script the same line
   * may be part of the statement.
   *
   * @param statement the lines before, which are still open
   */
  record Inner(String statement, Command command) {}

  /** Returns the command in the last line of a text, if that requests help or wants to leave. */
  static Optional<Inner> inner(String text) {
    String lines = text.stripTrailing();
    int end = lines.lastIndexOf('\n') + 1;
    String statement = lines.substring(0, end);
    List<RqlToken> tokens = RqlToken.of(statement);
    boolean isWithinText =
        !tokens.isEmpty() && tokens.get(tokens.size() - 1).kind() == Kind.UNTERMINATED;
    String line = lines.substring(end).strip();
    if (isWithinText || isComplete(statement) || line.equals("?")) {
      return Optional.empty();
    }
    return command(line)
        .filter(command -> command.name().equals("\\?") || command.name().equals("\\q"))
        .map(command -> new Inner(statement, command));
  }

  private static boolean isLoneName(String line) {
    List<RqlToken> tokens = RqlToken.of(line);
    return tokens.size() == 1 && tokens.get(0).kind() == Kind.NAME;
  }

  /** Returns whether the lines so far contain only whitespace and comments. */
  boolean nothingBegun() {
    return RqlToken.of(pending.toString()).stream().allMatch(t -> t.kind() == Kind.COMMENT);
  }

  private List<ShellInput> complete() {
    String text = pending.toString();
    List<ShellInput> statements = new ArrayList<>();
    int start = 0;
    for (RqlToken token : RqlToken.of(text)) {
      if (token.kind() == Kind.SEMICOLON) {
        add(statements, text.substring(start, token.range().end()));
        start = token.range().end();
      }
    }
    pending.delete(0, start);
    return statements;
  }

  private static void add(List<ShellInput> statements, String text) {
    boolean empty =
        RqlToken.of(text).stream()
            .allMatch(t -> t.kind() == Kind.SEMICOLON || t.kind() == Kind.COMMENT);
    if (!empty) {
      statements.add(new StatementText(text.strip()));
    }
  }

  /**
   * Returns the text after the last semicolon, because the last statement of a text may omit its
   * own.
   */
  List<ShellInput> end() {
    List<ShellInput> statements = new ArrayList<>(complete());
    if (!nothingBegun()) {
      add(statements, pending.toString());
    }
    pending.setLength(0);
    return statements;
  }

  /** Returns whether a text can be run as it is: it is empty, a command, or complete statements. */
  static boolean isComplete(String text) {
    StatementSplitter splitter = new StatementSplitter();
    text.lines().forEach(splitter::line);
    return splitter.nothingBegun();
  }
}
