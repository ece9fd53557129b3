package io.retroscope.rql.client;

/** A statement was not run, or not to its end, for a reason that is not in its text. */
public final class ProblemException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final String reason;

  /**
   * A problem.
   *
   * @param reason one sentence
   */
  public ProblemException(String reason) {
    super(reason);
    this.reason = reason;
  }

  /** One sentence for a person. */
  public String reason() {
    return reason;
  }
}
