// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.evaluation;

import static io.retroscope.rql.cut.batch.QuietRule.FALSE;
import static io.retroscope.rql.cut.batch.QuietRule.NULL;
import static io.retroscope.rql.cut.batch.QuietRule.TRUE;
import static io.retroscope.rql.cut.batch.QuietRule.UNKNOWN;

import io.retroscope.event.ValueType;
import io.retroscope.rql.ast.Expression.BinaryOperator;
import io.retroscope.rql.ast.Expression.OperatorKind;
import io.retroscope.rql.cut.batch.CutBatch;
import io.retroscope.rql.cut.batch.CutBatch.Domain;
import io.retroscope.rql.cut.batch.QuietRule;
import io.retroscope.rql.cut.batch.QuietRule.Limit;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A predicate over kernels. It has one outcome for each value of a batch, and within bounds a set
 * of them, see {@link Truths}. Used by one thread.
 */
abstract class Predicate {
  /** Finds the outcome for each value; one that has to be evaluated is UNKNOWN. */
  abstract void each(CutBatch batch, byte[] to);

  /** Finds the outcomes that are possible in the domain RANGE. */
  abstract int range(CutBatch batch);

  /**
   * The limit up to which the predicate is surely not TRUE, or surely TRUE; null if it is no
   * comparison of a number with a constant.
   */
  @Nullable Limit limit(boolean whileTrue) {
    return null;
  }

  /** An object that is equal for predicates with equal outcomes; null if none is known. */
  @Nullable Object key() {
    return null;
  }

  /** The key of an operation, by those of its operands. */
  private static @Nullable Object key(Object operation, @Nullable Object... operands) {
    List<@Nullable Object> all = Arrays.asList(operands);
    return all.contains(null) ? null : List.of(operation, all);
  }

  /** The predicate as a rule over the batch of a walk. */
  final QuietRule rule(CutBatch batch) {
    return new Rule(this, batch);
  }

  private static final class Rule implements QuietRule {
    private final Predicate predicate;
    private final CutBatch batch;
    private final byte[] one = new byte[1];

    Rule(Predicate predicate, CutBatch batch) {
      this.predicate = predicate;
      this.batch = batch;
    }

    @Override
    public int truths() {
      if (batch.domain() == Domain.RANGE) {
        return predicate.range(batch);
      }
      predicate.each(batch, one);
      return one[0];
    }

    @Override
    public void evaluate(CutBatch ofPlaces, byte[] to) {
      predicate.each(ofPlaces, to);
    }

    @Override
    public Object key() {
      Object key = predicate.key();
      return key == null ? this : key;
    }

    @Override
    public @Nullable Limit limit() {
      return predicate.limit(false);
    }

    @Override
    public @Nullable Limit limitWhileTrue() {
      return predicate.limit(true);
    }
  }

  /** A comparison. */
  static final class Comparing extends Predicate {
    private final BinaryOperator operator;
    private final Kernel left;
    private final Kernel right;

    Comparing(BinaryOperator operator, Kernel left, Kernel right) {
      this.operator = operator;
      this.left = left;
      this.right = right;
    }

    @Override
    void each(CutBatch batch, byte[] to) {
      int size = batch.size();
      int kind = left.evaluate(batch) | right.evaluate(batch);
      ValueType common = kind == Kernel.KNOWN ? commonType(size) : null;
      if (common != null) {
        Truths.compare(operator, left.as(common, size), right.as(common, size), size, to);
      } else {
        Arrays.fill(to, 0, size, (byte) (kind == Kernel.NULL ? NULL : UNKNOWN));
      }
      if (kind < Kernel.UNKNOWN) {
        mark(left.failures, size, to);
        mark(right.failures, size, to);
      }
    }

    private static void mark(byte @Nullable [] failures, int size, byte[] to) {
      for (int i = 0; failures != null && i < size; i++) {
        to[i] = failures[i] == 0 ? to[i] : UNKNOWN;
      }
    }

    @Override
    int range(CutBatch batch) {
      int kind = left.evaluate(batch) | right.evaluate(batch);
      ValueType common = kind == Kernel.KNOWN ? commonType(2) : null;
      if (common == null) {
        return kind == Kernel.NULL ? NULL : UNKNOWN;
      }
      return Truths.range(operator, left.as(common, 2), right.as(common, 2));
    }

    /** The type in which the values are compared exactly; null if there is none. */
    private @Nullable ValueType commonType(int size) {
      boolean isEquality = operator.kind() == OperatorKind.EQUALITY;
      if (left.type == right.type) {
        return isEquality || left.isNumber() ? left.type : null;
      }
      ValueType common = NumberOperation.common(left.type, right.type);
      return common != null && isExact(left, size) && isExact(right, size) ? common : null;
    }

    /** Whether the numbers stay the same if they become those of a common type. */
    private static boolean isExact(Kernel kernel, int size) {
      return switch (kernel.type) {
        case LONG -> DoubleNumbers.areExact(kernel.values, size);
        case DOUBLE -> true;
        case NULL, BOOLEAN, STRING, NESTED -> throw new AssertionError("a number");
      };
    }

    @Override
    @Nullable Object key() {
      return Predicate.key(operator, left.key(), right.key());
    }

    /*
     * The limit is that of DOUBLEs if the constant is one, or a LONG that has one. It is the same
     * for LONGs as long as no LONG is between a DOUBLE and the next one.
     */
    @Override
    @Nullable Limit limit(boolean whileTrue) {
      Object key = left.key();
      if (key == null || !(right instanceof Kernel.Constant constant) || !constant.isNumber()) {
        return null;
      }
      long bound = constant.number();
      ValueType type =
          switch (constant.type) {
            case LONG -> DoubleNumbers.isExact(bound) ? ValueType.DOUBLE : ValueType.LONG;
            case DOUBLE -> ValueType.DOUBLE;
            case NULL, BOOLEAN, STRING, NESTED -> throw new AssertionError("a number");
          };
      if (type != constant.type) {
        bound = DoubleNumbers.number((double) bound);
      } else if (type == ValueType.DOUBLE
          && Math.abs(DoubleNumbers.value(bound)) > DoubleNumbers.MAX_EXACT) {
        return null;
      }
      Object number = List.of(type, key);
      if (operator.kind() != OperatorKind.ORDER) {
        return null;
      }
      boolean isUpward = operator.holds(1);
      int step = operator.holds(0) ? 0 : isUpward ? 1 : -1;
      return limit(number, whileTrue, isUpward, bound, step);
    }

    /**
     * The limit of a comparison that is TRUE from a number on.
     *
     * @param upwards whether it is TRUE for greater numbers
     * @param step from the bound to the first number for which it is TRUE
     */
    private static @Nullable Limit limit(
        Object key, boolean whileTrue, boolean upwards, long bound, int step) {
      long distance = whileTrue ? step : step - (upwards ? 1 : -1);
      long limit = bound + distance;
      boolean overflows = distance > 0 ? limit < bound : limit > bound;
      return overflows ? null : new Limit(key, whileTrue, upwards != whileTrue, limit);
    }
  }

  /** Whether a variable has no value at a node, which is the same at all places of a part. */
  static final class IsNull extends Predicate {
    private final Kernel operand;

    IsNull(Kernel operand) {
      this.operand = operand;
    }

    @Override
    void each(CutBatch batch, byte[] to) {
      Arrays.fill(to, 0, batch.size(), (byte) range(batch));
    }

    @Override
    int range(CutBatch batch) {
      return switch (operand.evaluate(batch)) {
        case Kernel.KNOWN -> FALSE;
        case Kernel.NULL -> TRUE;
        default -> UNKNOWN;
      };
    }

    @Override
    @Nullable Object key() {
      return Predicate.key("IS NULL", operand.key());
    }
  }

  /** AND or OR. */
  static final class Junction extends Predicate {
    private final boolean isAnd;
    private final Predicate left;
    private final Predicate right;
    private byte[] first = {};

    Junction(boolean isAnd, Predicate left, Predicate right) {
      this.isAnd = isAnd;
      this.left = left;
      this.right = right;
    }

    private byte[] table() {
      return isAnd ? Truths.AND : Truths.OR;
    }

    @Override
    void each(CutBatch batch, byte[] to) {
      int size = batch.size();
      first = first.length < size ? new byte[size] : first;
      left.each(batch, first);
      right.each(batch, to);
      Truths.each(table(), first, to, size, to);
    }

    @Override
    int range(CutBatch batch) {
      int ofLeft = left.range(batch);
      boolean isDecided = ofLeft == (isAnd ? FALSE : TRUE);
      return isDecided ? ofLeft : Truths.of(table(), ofLeft, right.range(batch));
    }

    @Override
    @Nullable Object key() {
      return Predicate.key(isAnd, left.key(), right.key());
    }
  }

  /** NOT. */
  static final class Not extends Predicate {
    private final Predicate operand;

    Not(Predicate operand) {
      this.operand = operand;
    }

    @Override
    void each(CutBatch batch, byte[] to) {
      operand.each(batch, to);
      for (int i = 0; i < batch.size(); i++) {
        to[i] = (byte) Truths.not(to[i]);
      }
    }

    @Override
    int range(CutBatch batch) {
      return Truths.not(operand.range(batch));
    }

    @Override
    @Nullable Object key() {
      return Predicate.key("NOT", operand.key());
    }
  }
}
