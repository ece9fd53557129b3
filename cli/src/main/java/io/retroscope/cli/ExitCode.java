package io.retroscope.cli;

/** What the command tells its caller when it ends. */
enum ExitCode {
  /** All is well. */
  OK(0),
  /** It failed; one sentence on stderr says why. */
  FAILED(1),
  /** It was called wrongly. */
  USAGE(2),
  /** A statement is wrong or failed while it ran. */
  STATEMENT(3),
  /** The log server cannot be reached, or the connection broke. */
  CONNECTION(4);

  private final int code;

  ExitCode(int code) {
    this.code = code;
  }

  int code() {
    return code;
  }
}
