package io.retroscope.cli.shell;

/** One thing that was typed or read from a script. */
sealed interface ShellInput {
  /** A statement, its semicolon included where there is one. */
  record StatementText(String text) implements ShellInput {}

  /**
   * A backslash command.
   *
   * @param name with its backslash
   * @param argument the rest of the line, without blanks around it
   */
  record Command(String name, String argument) implements ShellInput {}
}
