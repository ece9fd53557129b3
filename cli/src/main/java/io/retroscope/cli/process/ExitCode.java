// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.process;

/** The exit codes of the process. */
public enum ExitCode {
  /** Success. */
  OK(0),
  /**
   * Another failure: a file cannot be read, or the output cannot be written. For a check: a rule is
   * broken.
   */
  FAILED(1),
  /** Invalid arguments. */
  USAGE(2),
  /** A statement failed. */
  STATEMENT_FAILED(3),
  /** The server could not be reached, or the connection failed. */
  CONNECTION_LOST(4),
  /** A check has neither failed nor passed, because something is missing. */
  INCONCLUSIVE(5),
  /** A check could not decide, because of an error in the command itself. */
  INTERNAL(6),
  /** The reader of the output has ended, as {@code head} does: as if by SIGPIPE. */
  READER_ENDED(141);

  private final int number;

  ExitCode(int number) {
    this.number = number;
  }

  /** The number that the process returns. */
  public int number() {
    return number;
  }
}
