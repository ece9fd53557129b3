package io.retroscope.rql.engine;

/** A node cannot be forgotten. */
public final class NodeRefusedException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final String advice;

  /**
   * A refusal.
   *
   * @param reason what is wrong
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
