// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.process;

/** Thrown to end a command with an exit code and one sentence for the user. */
public final class CommandException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final ExitCode exitCode;

  public CommandException(ExitCode exitCode, String message) {
    super(message);
    this.exitCode = exitCode;
  }

  public CommandException(ExitCode exitCode, String message, Throwable cause) {
    super(message, cause);
    this.exitCode = exitCode;
  }

  public ExitCode exitCode() {
    return exitCode;
  }
}
