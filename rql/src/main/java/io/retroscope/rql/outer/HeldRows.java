// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.outer;

import io.retroscope.event.Value;
import io.retroscope.rql.answer.HeapBytes;
import io.retroscope.rql.diagnostic.ErrorCode;
import io.retroscope.rql.evaluation.EvaluationException;
import io.retroscope.rql.evaluation.OuterLimits;
import java.util.List;

/**
 * The rows, groups and values that an outer query keeps until the inner one ends, within their
 * limits. Used by one thread.
 */
final class HeldRows {
  private static final String FEWER =
      "ORDER BY with LIMIT n holds n rows; WHERE and a shorter ON TIME make fewer";

  private final OuterLimits limits;
  private long count;
  private long bytes;

  HeldRows(OuterLimits limits) {
    this.limits = limits;
  }

  /**
   * Adds a row in one or several parts, a group or a single value.
   *
   * @throws EvaluationException if a limit is exceeded
   */
  @SafeVarargs
  final void hold(List<Value>... parts) {
    count++;
    for (List<Value> part : parts) {
      bytes += HeapBytes.of(part);
    }
    if (count > limits.maxRows()) {
      throw tooMany(limits.maxRows(), "rows, groups or distinct values")
          .withHelp(FEWER + "; --max-outer-rows of the shell or the server raises the limit");
    }
    if (bytes > limits.maxBytes()) {
      throw tooMany(limits.maxBytes(), "bytes").withHelp(FEWER);
    }
  }

  private static EvaluationException tooMany(long limit, String what) {
    return new EvaluationException(ErrorCode.TOO_MANY_OUTER_ROWS, limit, what);
  }

  /** Removes a row. */
  @SafeVarargs
  final void release(List<Value>... parts) {
    count--;
    for (List<Value> part : parts) {
      bytes -= HeapBytes.of(part);
    }
  }
}
