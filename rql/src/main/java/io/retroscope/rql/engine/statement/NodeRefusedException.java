// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine.statement;

/** The refusal to forget a node. */
public final class NodeRefusedException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final String advice;

  /**
   * Creates a refusal.
   *
   * @param reason the reason in one sentence
   * @param advice what to do
   */
  public NodeRefusedException(String reason, String advice) {
    super(reason);
    this.advice = advice;
  }

  String advice() {
    return advice;
  }
}
