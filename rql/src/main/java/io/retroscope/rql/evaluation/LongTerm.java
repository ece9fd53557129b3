// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.evaluation;

import io.retroscope.event.ValueType;
import io.retroscope.rql.analysis.RqlFunction.Aggregate;
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

  private long[] converted = {};

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

  /** Whether the value is a LONG or a DOUBLE. */
  final boolean isNumber() {
    return type == ValueType.LONG || type == ValueType.DOUBLE;
  }

  /** The lower bound of a number as a DOUBLE, to which a LONG is rounded. */
  final double lowDouble() {
    return type == ValueType.LONG ? low : DoubleLoops.value(low);
  }

  /** The upper bound of a number as a DOUBLE, to which a LONG is rounded. */
  final double highDouble() {
    return type == ValueType.LONG ? high : DoubleLoops.value(high);
  }

  /** The numbers at each place as those of DOUBLEs, to which LONGs are rounded. */
  final long[] eachDouble(int size) {
    if (type != ValueType.LONG) {
      return each;
    }
    if (converted.length < size) {
      converted = new long[Math.max(size, 2 * converted.length)];
    }
    DoubleLoops.ofLongs(each, size, converted);
    return converted;
  }

  /** An object that is equal for terms with equal results; null if none is known. */
  @Nullable Object key() {
    return null;
  }

  /** The variable of which this is a value; null if it is computed. */
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
      return List.of(type, low);
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
        case SPREAD -> {
          return readSpread(bounds);
        }
        default -> throw new AssertionError("no rule for " + function);
      }
      return KNOWN;
    }

    private int readSpread(ColumnBounds bounds) {
      if (type == ValueType.LONG) {
        set(Math.max(0, bounds.spreadLow()), bounds.spreadHigh());
        return high < 0 ? UNKNOWN : KNOWN;
      }
      double least = DoubleLoops.value(bounds.maxLow()) - DoubleLoops.value(bounds.minHigh());
      double most = DoubleLoops.value(bounds.maxHigh()) - DoubleLoops.value(bounds.minLow());
      set(DoubleLoops.number(Math.max(0, least)), DoubleLoops.number(most));
      return Double.isInfinite(most) ? UNKNOWN : KNOWN;
    }

    /** Whether the values have the aggregate without an error; a text has no order here. */
    private boolean isKnown() {
      ValueType held = column.packedType();
      type = function == Aggregate.COUNT ? ValueType.LONG : held;
      return column.isAllPacked() && isNumber();
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
          yield type == ValueType.LONG
              ? LongLoops.subtract(series.maxs(), series.mins(), stretch.size(), each)
              : DoubleLoops.subtract(series.maxs(), series.mins(), stretch.size(), each);
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
}
