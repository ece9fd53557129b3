package io.retroscope.rql.evaluation;

import io.retroscope.event.Value;
import io.retroscope.event.Value.BooleanValue;
import io.retroscope.event.Value.DoubleValue;
import io.retroscope.event.Value.LongValue;
import io.retroscope.event.Value.StringValue;
import io.retroscope.event.ValueType;
import io.retroscope.rql.ast.Expression.BinaryOperator;
import io.retroscope.rql.cut.QuietRule;
import io.retroscope.rql.cut.Stretch;
import io.retroscope.rql.cut.TextTable;
import io.retroscope.rql.cut.ValuePacking;
import org.jspecify.annotations.Nullable;

/** The rules of comparisons of a term with a constant, whose type the term may have or not. */
final class ConstantComparison {
  /** The DOUBLEs up to which the LONG below is exact. */
  private static final double MAX_BOUND = 0x1p62;

  /** The LONGs up to which the DOUBLE is exact. */
  private static final long MAX_EXACT = 1L << 53;

  private ConstantComparison() {}

  /** Returns the rule, or null if there is none for the constant and the operator. */
  static @Nullable QuietRule of(BinaryOperator operator, LongTerm term, Value constant) {
    if (constant instanceof LongValue bound) {
      return ofLong(operator, term, bound.value());
    }
    if (constant instanceof DoubleValue bound) {
      return ofDouble(operator, term, bound.value());
    }
    boolean isEquality = operator == BinaryOperator.EQUAL || operator == BinaryOperator.NOT_EQUAL;
    if (!isEquality || term.column() == null) {
      return null;
    }
    if (constant instanceof StringValue text) {
      int number = term.column().numberOf(text.value());
      return number == TextTable.NONE ? null : of(operator, term, ValueType.STRING, number);
    }
    return constant instanceof BooleanValue truth
        ? of(operator, term, ValueType.BOOLEAN, truth.value() ? 1 : 0)
        : null;
  }

  private static LongComparison of(
      BinaryOperator operator, LongTerm term, ValueType type, long number) {
    return new LongComparison(operator, term, new LongTerm.Constant(type, number));
  }

  private static QuietRule ofLong(BinaryOperator operator, LongTerm term, long bound) {
    LongComparison ofLongs = of(operator, term, ValueType.LONG, bound);
    if (term.column() == null || Math.abs(bound) > MAX_EXACT || bound == Long.MIN_VALUE) {
      return ofLongs;
    }
    return new Either(ofLongs, ofDoubles(operator, term, (double) bound), true);
  }

  private static LongComparison ofDoubles(BinaryOperator operator, LongTerm term, double bound) {
    long bits = Double.doubleToRawLongBits(bound + 0.0); // no negative zero
    return of(operator, term, ValueType.DOUBLE, ValuePacking.ordered(bits));
  }

  /** Compares LONGs with the LONG below a DOUBLE, so that the result is exact. */
  private static @Nullable QuietRule ofDouble(
      BinaryOperator operator, LongTerm term, double bound) {
    if (!(Math.abs(bound) < MAX_BOUND)) {
      return null;
    }
    long below = (long) Math.floor(bound);
    boolean isWhole = bound == Math.floor(bound);
    LongComparison ofLongs =
        isWhole ? of(operator, term, ValueType.LONG, below) : ofFraction(operator, term, below);
    return term.column() == null
        ? ofLongs
        : new Either(ofLongs, ofDoubles(operator, term, bound), isWhole);
  }

  /** Compares LONGs with a number between two LONGs. */
  private static LongComparison ofFraction(BinaryOperator operator, LongTerm term, long below) {
    return switch (operator) {
      case GREATER, GREATER_OR_EQUAL -> of(BinaryOperator.GREATER, term, ValueType.LONG, below);
      case LESS, LESS_OR_EQUAL -> of(BinaryOperator.LESS_OR_EQUAL, term, ValueType.LONG, below);
      case EQUAL -> of(BinaryOperator.LESS, term, ValueType.LONG, Long.MIN_VALUE); // never
      case NOT_EQUAL ->
          of(BinaryOperator.GREATER_OR_EQUAL, term, ValueType.LONG, Long.MIN_VALUE); // always
      default -> throw new AssertionError("no comparison: " + operator);
    };
  }

  /**
   * The rule of LONGs or, if the value is none, that of DOUBLEs.
   *
   * @param hasLimit whether the limit of the rule of LONGs is that of DOUBLEs, too
   */
  private record Either(LongComparison ofLongs, LongComparison ofDoubles, boolean hasLimit)
      implements QuietRule {
    @Override
    public int truths() {
      int truths = ofLongs.truths();
      return truths == UNKNOWN ? ofDoubles.truths() : truths;
    }

    @Override
    public boolean evaluate(Stretch stretch, byte[] to) {
      return ofLongs.evaluate(stretch, to) || ofDoubles.evaluate(stretch, to);
    }

    @Override
    public @Nullable Limit limit() {
      return hasLimit ? ofLongs.limit() : null;
    }

    @Override
    public @Nullable Limit limitWhileTrue() {
      return hasLimit ? ofLongs.limitWhileTrue() : null;
    }
  }
}
