// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.shell;

/** One input from the prompt or a script. */
sealed interface ShellInput {
  /** A statement, including its semicolon if there is one. */
  record StatementText(String text) implements ShellInput {}

  /**
   * A backslash command.
   *
   * @param name with its backslash
   * @param argument the rest of the line, without surrounding whitespace
   */
  record Command(String name, String argument) implements ShellInput {}
}
