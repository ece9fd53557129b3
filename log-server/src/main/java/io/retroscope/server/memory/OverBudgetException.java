package io.retroscope.server.memory;

/** Something does not fit into the memory that may be used; the message says what to do. */
public final class OverBudgetException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final boolean lasting;

  OverBudgetException(String message, boolean lasting) {
    super(message, null, false, false);
    this.lasting = lasting;
  }

  /** Whether it can never fit; otherwise it may when others have ended. */
  public boolean isLasting() {
    return lasting;
  }
}
