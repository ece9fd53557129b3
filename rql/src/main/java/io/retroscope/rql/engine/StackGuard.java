package io.retroscope.rql.engine;

import io.retroscope.rql.diagnostic.ErrorCode;
import io.retroscope.rql.diagnostic.RqlException;
import io.retroscope.rql.diagnostic.SourceRange;
import java.util.List;
import java.util.function.Supplier;

/**
 * Turns a stack that is exhausted into an error like any other: expressions are walked recursively,
 * and the limits on their depth cannot know how small a stack the calling thread has.
 */
final class StackGuard {
  private StackGuard() {}

  /**
   * Runs work on a statement.
   *
   * @throws RqlException in place of a stack overflow
   */
  static <T> T guarded(String text, Supplier<T> work) {
    try {
      return work.get();
    } catch (StackOverflowError e) {
      throw new RqlException(
          text,
          List.of(
              ErrorCode.STACK_EXHAUSTED
                  .at(new SourceRange(0, Math.min(1, text.length())))
                  .withHelp("take the expression apart, or give the thread more stack")));
    }
  }
}
