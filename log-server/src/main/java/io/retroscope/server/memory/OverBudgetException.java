// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.memory;

/** Memory that exceeds the budget; the message contains the remedy. */
public final class OverBudgetException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final boolean lasting;

  OverBudgetException(String message, boolean lasting) {
    super(message, null, false, false);
    this.lasting = lasting;
  }

  /** Whether it can never fit; otherwise it may fit after other requests have ended. */
  public boolean isLasting() {
    return lasting;
  }
}
