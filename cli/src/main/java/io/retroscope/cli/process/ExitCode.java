package io.retroscope.cli.process;

/** How the shell ends, as scripts see it. */
public enum ExitCode {
  /** Everything was done. */
  OK(0),
  /** Something else went wrong: a file cannot be read, the output cannot be written. */
  FAILED(1),
  /** The shell was called in a wrong way. */
  USAGE(2),
  /** A statement failed. */
  STATEMENT_FAILED(3),
  /** The server could not be reached, or went away. */
  CONNECTION_LOST(4);

  private final int number;

  ExitCode(int number) {
    this.number = number;
  }

  /** What the process returns. */
  public int number() {
    return number;
  }
}
