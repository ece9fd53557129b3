// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine.statement;

/** A statement about an alert that a server refuses. */
public final class AlertRefusedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final String advice;

  /**
   * Creates a refusal.
   *
   * @param reason one sentence without a period
   * @param advice what to do
   */
  public AlertRefusedException(String reason, String advice) {
    super(reason);
    this.advice = advice;
  }

  /** What to do. */
  public String advice() {
    return advice;
  }
}
