// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.json;

/** The rejection of a line of newline-delimited JSON, with the line, the field and the reason. */
public final class NdjsonException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final long line;
  private final String field;
  private final String reason;

  /**
   * Creates a rejection.
   *
   * @param line counted from 1
   * @param field the field's path, such as {@code set.r1}; empty if the whole line is wrong
   * @param reason one sentence without a final full stop
   */
  public NdjsonException(long line, String field, String reason) {
    super("line " + line + (field.isEmpty() ? "" : ", field \"" + field + "\"") + ": " + reason);
    this.line = line;
    this.field = field;
    this.reason = reason;
  }

  /** The line, counted from 1. */
  public long line() {
    return line;
  }

  /** The field's path; empty if the whole line is wrong. */
  public String field() {
    return field;
  }

  /** The reason, without line and field. */
  public String reason() {
    return reason;
  }
}
