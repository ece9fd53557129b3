// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.evaluation;

import io.retroscope.event.ValueType;
import io.retroscope.rql.analysis.RqlFunction.Scalar;
import io.retroscope.rql.cut.Stretch;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The function ABS of a LONG or a DOUBLE. Used by one thread. */
final class MagnitudeTerm extends LongTerm {
  private final LongTerm operand;

  MagnitudeTerm(LongTerm operand) {
    this.operand = operand;
  }

  @Override
  int read() {
    int kind = operand.read();
    if (kind != KNOWN) {
      return kind;
    }
    type = operand.type;
    boolean isPositive = operand.low >= 0;
    boolean mayBeZero = operand.low <= 0 && operand.high >= 0;
    long a = magnitude(operand.low);
    long b = magnitude(operand.high);
    low = mayBeZero ? 0 : isPositive ? a : b;
    high = Math.max(a, b);
    return isNumber() && a >= 0 ? KNOWN : UNKNOWN;
  }

  /** The number of the magnitude; negative if there is none. */
  private long magnitude(long number) {
    if (number >= 0) {
      return number;
    }
    return type == ValueType.LONG ? -number : ~number;
  }

  @Override
  int readEach(Stretch stretch) {
    int kind = operand.readEach(stretch);
    if (kind != KNOWN) {
      return kind;
    }
    type = operand.type;
    ensureSize(stretch);
    return isNumber()
        ? LongLoops.magnitude(operand.each, type == ValueType.LONG, stretch.size(), each)
        : UNKNOWN;
  }

  @Override
  @Nullable Object key() {
    Object key = operand.key();
    return key == null ? null : List.of(Scalar.ABS, key);
  }
}
