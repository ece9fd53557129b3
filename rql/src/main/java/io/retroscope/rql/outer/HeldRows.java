package io.retroscope.rql.outer;

import io.retroscope.event.Value;
import io.retroscope.event.Value.SetValue;
import io.retroscope.event.Value.StringValue;
import io.retroscope.event.Value.StructValue;
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
  private static final int REFERENCE_BYTES = 8;
  private static final int NUMBER_BYTES = 24;
  private static final int TEXT_BYTES = 56;
  private static final int COLLECTION_BYTES = 64;

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
      bytes += bytes(part);
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
      bytes -= bytes(part);
    }
  }

  private static long bytes(List<Value> values) {
    long sum = COLLECTION_BYTES;
    for (Value value : values) {
      sum += REFERENCE_BYTES + bytes(value);
    }
    return sum;
  }

  private static long bytes(Value value) {
    if (value instanceof StringValue text) {
      return TEXT_BYTES + 2L * text.value().length();
    }
    if (value instanceof SetValue set) {
      return bytes(List.copyOf(set.elements()));
    }
    if (value instanceof StructValue struct) {
      long names = struct.fields().keySet().stream().mapToLong(name -> 2L * name.length()).sum();
      return names
          + (long) TEXT_BYTES * struct.fields().size()
          + bytes(List.copyOf(struct.fields().values()));
    }
    return NUMBER_BYTES;
  }
}
