// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.client;

/** The failure to run a statement, or to complete it, for a reason that is not in its text. */
public class ProblemException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final String reason;
  private final boolean ofStatement;

  /**
   * Creates a failure of a statement while it ran.
   *
   * @param reason one sentence
   */
  public ProblemException(String reason) {
    this(reason, true);
  }

  /**
   * Creates a failure.
   *
   * @param reason one sentence
   * @param ofStatement whether another statement might succeed; no statement does if the input
   *     cannot be read, or the server gives no access
   */
  public ProblemException(String reason, boolean ofStatement) {
    super(reason);
    this.reason = reason;
    this.ofStatement = ofStatement;
  }

  /** Whether another statement might succeed. */
  public boolean isOfStatement() {
    return ofStatement;
  }

  /** The reason in one sentence for users. */
  public String reason() {
    return reason;
  }
}
