package io.retroscope.rql.evaluation;

import io.retroscope.event.ValueType;
import io.retroscope.rql.analysis.RqlFunction.Aggregate;
import io.retroscope.rql.ast.Expression.BinaryOperator;
import io.retroscope.rql.cut.ColumnBounds;
import io.retroscope.rql.cut.LongSeries;
import io.retroscope.rql.cut.NodeTable;
import io.retroscope.rql.cut.Stretch;
import io.retroscope.rql.cut.VariableColumn;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A LONG, or a value that a column holds as a number, that is computed without objects from the
 * present state or, during a stretch, bounds of it over all states. It is read first, which shows
 * whether there is one. Used by one thread.
 */
abstract class LongTerm {
  /**
   * The expression is a value of {@link #type} whose number is from {@link #low} to {@link #high}.
   */
  static final int KNOWN = 0;

  /** The expression is NULL. */
  static final int NULL = 1;

  /** The expression has to be evaluated, and may fail. */
  static final int UNKNOWN = 2;

  /*
   * Valid after read has returned KNOWN, until the state changes. They are equal, except during a
   * stretch.
   */
  long low;
  long high;
  ValueType type = ValueType.LONG;

  /** The numbers at each place of a stretch, valid after readEach has returned KNOWN for it. */
  long[] each = {};

  /** Returns KNOWN, NULL or UNKNOWN. */
  abstract int read();

  /**
   * Computes the numbers at each place of a stretch. Returns KNOWN or NULL if that holds at all of
   * them, otherwise UNKNOWN.
   */
  int readEach(Stretch stretch) {
    return UNKNOWN;
  }

  /** Makes room for own numbers. */
  final void ensureSize(Stretch stretch) {
    if (each.length < stretch.size()) {
      each = new long[Math.max(stretch.size(), 2 * each.length)];
    }
  }

  /** An object that is equal for terms with equal results; null if none is known. */
  @Nullable Object key() {
    return null;
  }

  /** The variable of which this is a value; null if it is a LONG that is computed. */
  @Nullable VariableColumn column() {
    return null;
  }

  /** The variable of which this is the value at one node; null if it is anything else. */
  @Nullable VariableColumn atNodeOf() {
    return null;
  }

  /** Reads the values of a variable at one node. */
  final int readEachAt(int node, VariableColumn column, Stretch stretch) {
    if (!column.isPacked(node)) {
      return column.isSet(node) ? UNKNOWN : NULL;
    }
    type = column.packedType();
    each = column.series(stretch).at(node);
    return KNOWN;
  }

  /** Reads the value of a variable at one node. */
  final int readAt(int node, VariableColumn column) {
    if (!column.isPacked(node)) {
      return column.isSet(node) ? UNKNOWN : NULL;
    }
    type = column.packedType();
    low = column.bounds().low(node);
    high = column.bounds().high(node);
    return KNOWN;
  }

  /** A constant. */
  static final class Constant extends LongTerm {
    Constant(long number) {
      this(ValueType.LONG, number);
    }

    Constant(ValueType type, long number) {
      this.type = type;
      this.low = number;
      this.high = number;
    }

    @Override
    int read() {
      return KNOWN;
    }

    @Override
    int readEach(Stretch stretch) {
      if (each.length < stretch.size()) {
        ensureSize(stretch);
        Arrays.fill(each, low);
      }
      return KNOWN;
    }

    @Override
    Object key() {
      return low;
    }
  }

  /** The value of a variable at one node. */
  static final class AtNode extends LongTerm {
    private final VariableColumn column;
    private final NodeTable nodes;
    private final String name;
    private int node = NodeTable.NONE;

    AtNode(VariableColumn column, NodeTable nodes, String name) {
      this.column = column;
      this.nodes = nodes;
      this.name = name;
    }

    private void findNode() {
      if (node == NodeTable.NONE) {
        node = nodes.find(name);
        if (node != NodeTable.NONE) {
          column.watch(node);
        }
      }
    }

    @Override
    int readEach(Stretch stretch) {
      findNode();
      return readEachAt(node, column, stretch);
    }

    @Override
    int read() {
      findNode();
      return readAt(node, column);
    }

    @Override
    VariableColumn column() {
      return column;
    }

    @Override
    VariableColumn atNodeOf() {
      return column;
    }

    @Override
    Object key() {
      return List.of(column, name);
    }
  }

  /** An aggregate of a variable over all nodes: COUNT, MIN, MAX or SPREAD. */
  static final class OverNodes extends LongTerm {
    private final Aggregate function;
    private final VariableColumn column;

    OverNodes(Aggregate function, VariableColumn column) {
      this.function = function;
      this.column = column;
    }

    @Override
    int read() {
      if (!isKnown()) {
        return UNKNOWN;
      }
      ColumnBounds bounds = column.bounds();
      switch (function) {
        case COUNT -> set(column.present(), column.present());
        case MIN -> set(bounds.minLow(), bounds.minHigh());
        case MAX -> set(bounds.maxLow(), bounds.maxHigh());
        case SPREAD -> set(Math.max(0, bounds.spreadLow()), bounds.spreadHigh());
        default -> throw new AssertionError("no rule for " + function);
      }
      return function == Aggregate.SPREAD && high < 0 ? UNKNOWN : KNOWN;
    }

    /** Whether the values have the aggregate without an error; a text has no order here. */
    private boolean isKnown() {
      ValueType held = column.packedType();
      type = function == Aggregate.MIN || function == Aggregate.MAX ? held : ValueType.LONG;
      return column.isAllPacked()
          && switch (function) {
            case COUNT -> true;
            case MIN, MAX -> held == ValueType.LONG || held == ValueType.DOUBLE;
            default -> held == ValueType.LONG;
          };
    }

    @Override
    @Nullable VariableColumn column() {
      return function == Aggregate.MIN || function == Aggregate.MAX ? column : null;
    }

    @Override
    int readEach(Stretch stretch) {
      if (!isKnown()) {
        return UNKNOWN;
      }
      LongSeries series = column.series(stretch);
      return switch (function) {
        case MIN -> {
          each = series.mins();
          yield KNOWN;
        }
        case MAX -> {
          each = series.maxs();
          yield KNOWN;
        }
        case SPREAD -> {
          ensureSize(stretch);
          yield LongLoops.subtract(series.maxs(), series.mins(), stretch.size(), each);
        }
        default -> {
          ensureSize(stretch);
          Arrays.fill(each, 0, stretch.size(), column.present());
          yield KNOWN;
        }
      };
    }

    @Override
    Object key() {
      return List.of(function, column);
    }

    private void set(long least, long most) {
      low = least;
      high = most;
    }
  }

  /**
   * The operators {@code + - * %}. An overflow and a remainder of 0 are left to the evaluator,
   * which fails.
   */
  static final class Operation extends LongTerm {
    private final BinaryOperator operator;
    private final LongTerm left;
    private final LongTerm right;

    Operation(BinaryOperator operator, LongTerm left, LongTerm right) {
      this.operator = operator;
      this.left = left;
      this.right = right;
    }

    @Override
    int read() {
      int kind = left.read() | right.read();
      if (kind != KNOWN || !areLongs()) {
        return kind == KNOWN ? UNKNOWN : Math.min(kind, UNKNOWN);
      }
      boolean overflows =
          switch (operator) {
            case ADD -> add(left.low, right.low, left.high, right.high);
            case SUBTRACT -> subtract();
            case MULTIPLY -> multiply();
            case REMAINDER -> remainder();
            default -> throw new AssertionError("no rule for " + operator);
          };
      return overflows ? UNKNOWN : KNOWN;
    }

    @Override
    int readEach(Stretch stretch) {
      int kind = left.readEach(stretch) | right.readEach(stretch);
      if (kind != KNOWN || !areLongs()) {
        return kind == KNOWN ? UNKNOWN : Math.min(kind, UNKNOWN);
      }
      ensureSize(stretch);
      int size = stretch.size();
      return switch (operator) {
        case ADD -> LongLoops.add(left.each, right.each, size, each);
        case SUBTRACT -> LongLoops.subtract(left.each, right.each, size, each);
        case MULTIPLY -> LongLoops.multiply(left.each, right.each, size, each);
        case REMAINDER -> LongLoops.remainder(left.each, right.each, size, each);
        default -> throw new AssertionError("no rule for " + operator);
      };
    }

    private boolean areLongs() {
      return left.type == ValueType.LONG && right.type == ValueType.LONG;
    }

    @Override
    @Nullable Object key() {
      Object a = left.key();
      Object b = right.key();
      return a == null || b == null ? null : List.of(operator, a, b);
    }

    private boolean add(long a, long b, long c, long d) {
      low = a + b;
      high = c + d;
      return ((a ^ low) & (b ^ low)) < 0 || ((c ^ high) & (d ^ high)) < 0;
    }

    private boolean subtract() {
      low = left.low - right.high;
      high = left.high - right.low;
      boolean overflows =
          ((left.low ^ right.high) & (left.low ^ low)) < 0
              || ((left.high ^ right.low) & (left.high ^ high)) < 0;
      VariableColumn column = left.atNodeOf();
      if (!overflows && column != null && column == right.atNodeOf()) {
        limitBySpread(column);
      }
      return overflows;
    }

    /** Two nodes differ by no more than the spread of all. */
    private void limitBySpread(VariableColumn column) {
      long spread =
          column.bounds().isStretch() && column.isAllLong() ? column.bounds().spreadHigh() : -1;
      if (spread >= 0) {
        low = Math.max(low, -spread);
        high = Math.min(high, spread);
      }
    }

    private boolean multiply() {
      long a = left.low * right.low;
      low = a;
      high = a;
      if (left.low == left.high && right.low == right.high) {
        return overflows(left.low, right.low);
      }
      widen(left.low * right.high);
      widen(left.high * right.low);
      widen(left.high * right.high);
      return overflows(left.low, right.low)
          || overflows(left.low, right.high)
          || overflows(left.high, right.low)
          || overflows(left.high, right.high);
    }

    private boolean remainder() {
      if (left.low == left.high && right.low == right.high && right.low != 0) {
        low = left.low % right.low;
        high = low;
        return false;
      }
      if (right.low <= 0) {
        return true;
      }
      low = left.low >= 0 ? 0 : Math.max(left.low, 1 - right.high);
      high = left.high <= 0 ? 0 : Math.min(left.high, right.high - 1);
      return false;
    }

    private void widen(long product) {
      low = Math.min(low, product);
      high = Math.max(high, product);
    }

    private static boolean overflows(long a, long b) {
      return Math.multiplyHigh(a, b) != (a * b) >> (Long.SIZE - 1);
    }
  }
}
