// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine.statement;

import io.retroscope.rql.diagnostic.ErrorCode;
import io.retroscope.rql.diagnostic.RqlException;
import io.retroscope.rql.diagnostic.SourceRange;
import java.util.List;
import java.util.function.Supplier;

/**
 * A guard that turns an exhausted stack into an ordinary error. Expressions are traversed
 * recursively, and the limits on their depth cannot take the stack size of the calling thread into
 * account.
 */
public final class StackGuard {
  private StackGuard() {}

  /**
   * Runs work on a statement.
   *
   * @throws RqlException in place of a stack overflow
   */
  public static <T> T guarded(String text, Supplier<T> work) {
    try {
      return work.get();
    } catch (StackOverflowError e) {
      throw failure(text);
    }
  }

  /** The error of a statement that exhausted the stack. */
  public static RqlException failure(String text) {
    return new RqlException(
        text,
        List.of(
            ErrorCode.STACK_EXHAUSTED
                .at(new SourceRange(0, Math.min(1, text.length())))
                .withHelp("split the expression, or give the thread more stack")));
  }
}
