package io.retroscope.cli.file;

/** A file does not hold what it should: which file, which line and why. */
public final class InputException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /**
   * The whole file is wrong.
   *
   * @param reason one sentence without a final full stop
   */
  public InputException(String file, String reason) {
    super(file + ": " + reason);
  }

  /**
   * One line is wrong.
   *
   * @param line counted from 1
   * @param reason one sentence without a final full stop
   */
  public InputException(String file, long line, String reason) {
    super(file + ":" + line + ": " + reason);
  }
}
