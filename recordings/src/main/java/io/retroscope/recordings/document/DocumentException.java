// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recordings.document;

/** Thrown if a document cannot be read as what it is. */
public final class DocumentException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** The line of a reason that has no place. */
  private static final long NO_LINE = 0;

  private final long line;
  private final boolean isCutOff;

  private DocumentException(long line, String reason, boolean isCutOff) {
    super(reason);
    this.line = line;
    this.isCutOff = isCutOff;
  }

  /** A mistake at a line, counted from 1. */
  static DocumentException at(long line, String reason) {
    return new DocumentException(line, reason, false);
  }

  /** A mistake of a part whose line only its reader knows. */
  static DocumentException of(String reason) {
    return new DocumentException(NO_LINE, reason, false);
  }

  /** The end of a document within a value. */
  static DocumentException cutOff(long line) {
    return new DocumentException(line, "the document is cut off", true);
  }

  /** Whether what came before the place can be used. */
  boolean isCutOff() {
    return isCutOff;
  }

  /** The reason, after the line if it is known. */
  public String reason() {
    return (line == NO_LINE ? "" : line + ": ") + getMessage();
  }
}
