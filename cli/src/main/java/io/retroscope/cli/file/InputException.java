// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.file;

/** Thrown for invalid content of a file, with the file, the line and the reason. */
public final class InputException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /**
   * The whole file is invalid.
   *
   * @param reason one sentence without a final full stop
   */
  public InputException(String file, String reason) {
    super(file + ": " + reason);
  }

  /**
   * One line is invalid.
   *
   * @param line counted from 1
   * @param reason one sentence without a final full stop
   */
  public InputException(String file, long line, String reason) {
    super(file + ":" + line + ": " + reason);
  }
}
