package io.retroscope.rql.client;

/** The failure to run a statement, or to complete it, for a reason that is not in its text. */
public class ProblemException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final String reason;

  /**
   * Creates a failure.
   *
   * @param reason one sentence
   */
  public ProblemException(String reason) {
    super(reason);
    this.reason = reason;
  }

  /** The reason in one sentence for users. */
  public String reason() {
    return reason;
  }
}
