// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.evaluation;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.ValueType;
import io.retroscope.rql.cut.batch.CutBatch;
import io.retroscope.rql.cut.batch.CutBatch.Domain;
import io.retroscope.rql.cut.state.NodeTable;
import io.retroscope.rql.cut.state.VariableColumn;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A value that is computed without objects over a {@link CutBatch}, in whatever {@link Domain} that
 * has: as many numbers as the batch has values. Used by one thread.
 */
abstract class Kernel {
  /** The numbers are {@link #values} of the {@link #type}, except where there are failures. */
  static final int KNOWN = 0;

  /** All values are NULL, except where there are failures. */
  static final int NULL = 1;

  /** The value has to be evaluated by its evaluator, and may fail. */
  static final int UNKNOWN = 2;

  ValueType type = ValueType.LONG;
  long[] values = {};

  /** Not 0 where a value has to be evaluated by its evaluator all the same; null if nowhere. */
  byte @Nullable [] failures;

  /** The values as numbers of another type. */
  private long[] converted = {};

  /** Computes the values in the batch's domain; returns KNOWN, NULL or UNKNOWN. */
  abstract int evaluate(CutBatch batch);

  /** The variable of which this is a value; null if it is computed. */
  @Nullable VariableColumn column() {
    return null;
  }

  /** The variable of which this is the value at one node; null if it is anything else. */
  @Nullable VariableColumn atNodeOf() {
    return null;
  }

  /** An object that is equal for kernels with equal results; null if none is known. */
  @Nullable Object key() {
    return null;
  }

  final boolean isNumber() {
    return NumberOperation.isNumber(type);
  }

  static long[] ensureSize(long[] array, int size) {
    return array.length >= size ? array : new long[Math.max(size, 2 * array.length)];
  }

  /** The numbers as those of a {@linkplain NumberOperation#common common} type. */
  final long[] as(ValueType other, int size) {
    if (type == other) {
      return values;
    }
    converted = ensureSize(converted, size);
    return switch (other) {
      case DOUBLE -> DoubleNumbers.ofLongs(values, size, converted);
      case LONG, NULL, BOOLEAN, STRING, NESTED ->
          throw new AssertionError("a " + type + " as a " + other);
    };
  }

  /** Reads the value of a variable at a node. */
  final int read(VariableColumn column, int node, CutBatch batch, long[] memory) {
    if (!column.isPacked(node)) {
      return column.isSet(node) ? UNKNOWN : NULL;
    }
    type = column.packedType();
    values = batch.of(column).at(node, memory);
    return KNOWN;
  }

  /** A constant. */
  static final class Constant extends Kernel {
    private final long number;

    Constant(ValueType type, long number) {
      this.type = type;
      this.number = number;
    }

    long number() {
      return number;
    }

    @Override
    int evaluate(CutBatch batch) {
      if (values.length < batch.size()) {
        values = ensureSize(values, batch.size());
        Arrays.fill(values, number);
      }
      return KNOWN;
    }

    @Override
    Object key() {
      return List.of(type, number);
    }
  }

  /** The value of a variable at a node. */
  static final class AtNode extends Kernel {
    private final VariableColumn column;
    private final NodeTable nodes;
    private final String name;
    private final long[] memory = new long[2];
    private int node = NodeTable.NONE;

    AtNode(VariableColumn column, NodeTable nodes, String name) {
      this.column = column;
      this.nodes = nodes;
      this.name = name;
    }

    @Override
    int evaluate(CutBatch batch) {
      node = node == NodeTable.NONE ? nodes.find(name) : node;
      return read(column, node, batch, memory);
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

  /** MIN or MAX of a variable over all nodes. */
  static final class Extreme extends Kernel {
    private final boolean isMax;
    private final VariableColumn column;
    private final long[] memory = new long[2];

    Extreme(boolean isMax, VariableColumn column) {
      this.isMax = isMax;
      this.column = column;
    }

    @Override
    int evaluate(CutBatch batch) {
      type = column.packedType();
      if (!column.isAllPacked() || !isNumber()) {
        return UNKNOWN; // a text has no order here
      }
      values = isMax ? batch.of(column).maxs(memory) : batch.of(column).mins(memory);
      return KNOWN;
    }

    @Override
    VariableColumn column() {
      return column;
    }

    @Override
    Object key() {
      return List.of(isMax, column);
    }
  }

  /** MIN or MAX of the ages of a variable over all nodes, in microseconds, in the present state. */
  static final class ExtremeAge extends Kernel {
    private final boolean isMax;
    private final VariableColumn column;
    private final NodeTable nodes;
    private final long[] age = new long[1];

    ExtremeAge(boolean isMax, VariableColumn column, NodeTable nodes) {
      this.isMax = isMax;
      this.column = column;
      this.nodes = nodes;
    }

    @Override
    int evaluate(CutBatch batch) {
      if (batch.domain() != Domain.PRESENT) {
        return UNKNOWN;
      }
      long changed = isMax ? Long.MAX_VALUE : Long.MIN_VALUE;
      boolean isAny = false;
      for (int node = 0; node < nodes.size(); node++) {
        if (column.isSet(node)) {
          long at = column.changedAt(node);
          changed = isMax ? Math.min(changed, at) : Math.max(changed, at);
          isAny = true;
        }
      }
      age[0] = HlcTimestamp.micros(batch.state().hlc()) - HlcTimestamp.micros(changed);
      values = age;
      return isAny ? KNOWN : NULL;
    }
  }

  /** COUNT of a variable: the number of nodes at which it has a value. */
  static final class Present extends Kernel {
    private final VariableColumn column;

    Present(VariableColumn column) {
      this.column = column;
    }

    @Override
    int evaluate(CutBatch batch) {
      if (!column.isAllPacked()) {
        return UNKNOWN;
      }
      values = ensureSize(values, batch.size());
      Arrays.fill(values, 0, batch.size(), column.present());
      return KNOWN;
    }

    @Override
    Object key() {
      return List.of("the number of values", column);
    }
  }

  /** An operation. */
  static final class Applied extends Kernel {
    private final NumberOperation operation;
    private final Kernel left;
    private final Kernel right;
    private final NumberOperation.Corners corners = new NumberOperation.Corners();

    /** The variable if this is its MAX - MIN. */
    private final @Nullable VariableColumn spreadOf;

    private long[] own = {};

    Applied(NumberOperation operation, Kernel left, Kernel right) {
      this(operation, left, right, null);
    }

    private Applied(
        NumberOperation operation, Kernel left, Kernel right, @Nullable VariableColumn spreadOf) {
      this.operation = operation;
      this.left = left;
      this.right = right;
      this.spreadOf = spreadOf;
    }

    /** The kernel of SPREAD. */
    static Applied spread(VariableColumn column) {
      Kernel max = new Extreme(true, column);
      Kernel min = new Extreme(false, column);
      return new Applied(NumberOperation.SUBTRACT, max, min, column);
    }

    /** The kernel of {@code -operand}. */
    static Applied negated(Kernel operand) {
      return new Applied(NumberOperation.SUBTRACT, new Constant(ValueType.LONG, 0), operand);
    }

    /** The kernel of {@code ABS(operand)}. */
    static Applied magnitude(Kernel operand) {
      return new Applied(NumberOperation.ABS, operand, new Constant(ValueType.LONG, 0));
    }

    @Override
    int evaluate(CutBatch batch) {
      int kind = Math.min(UNKNOWN, left.evaluate(batch) | right.evaluate(batch));
      int size = batch.size();
      failures = kind == UNKNOWN ? null : union(left.failures, right.failures, size);
      ValueType common = NumberOperation.common(left.type, right.type);
      if (kind != KNOWN || common == null) {
        return kind == KNOWN ? UNKNOWN : kind;
      }
      type = common;
      own = ensureSize(own, size);
      values = own;
      long[] a = left.as(type, size);
      long[] b = right.as(type, size);
      if (batch.domain() == Domain.RANGE) {
        return range(batch, a, b) ? KNOWN : UNKNOWN;
      }
      if (!operation.each(type, a, b, size, own)) {
        failures = findFailures(a, b, size);
      }
      return KNOWN;
    }

    private static byte @Nullable [] union(byte @Nullable [] a, byte @Nullable [] b, int size) {
      if (a == null || b == null) {
        return a == null ? b : a;
      }
      byte[] either = new byte[size];
      for (int i = 0; i < size; i++) {
        either[i] = (byte) (a[i] | b[i]);
      }
      return either;
    }

    /** Computes each result by itself, and finds those that there are not. */
    private byte[] findFailures(long[] a, long[] b, int size) {
      byte[] found = failures == null ? new byte[size] : Arrays.copyOf(failures, size);
      long[] first = new long[1];
      long[] second = new long[1];
      long[] result = new long[1];
      for (int i = 0; i < size; i++) {
        first[0] = a[i];
        second[0] = b[i];
        boolean has = operation.each(type, first, second, 1, result);
        own[i] = result[0];
        found[i] |= (byte) (has ? 0 : 1);
      }
      return found;
    }

    private boolean range(CutBatch batch, long[] a, long[] b) {
      boolean fits = operation.range(type, a, b, corners, own);
      if (operation != NumberOperation.SUBTRACT || type != ValueType.LONG) {
        return fits;
      }
      if (spreadOf != null) {
        long least = Math.max(0, batch.of(spreadOf).spreadLow());
        limit(least, batch.of(spreadOf).spreadHigh());
        return fits;
      }
      VariableColumn column = left.atNodeOf();
      if (column != null && column == right.atNodeOf() && column.isAllLong()) {
        // Two nodes differ by no more than the spread of all.
        long most = batch.of(column).spreadHigh();
        limit(-most, most);
      }
      return fits;
    }

    /** Narrows the bounds of the result, unless the new ones are not known. */
    private void limit(long least, long most) {
      if (most >= 0) {
        own[0] = Math.max(own[0], least);
        own[1] = Math.min(own[1], most);
      }
    }

    @Override
    @Nullable Object key() {
      Object a = left.key();
      Object b = right.key();
      return a == null || b == null ? null : List.of(operation, a, b);
    }
  }

  /** The value of a variable at the node to which a name is bound, or the value that it is. */
  static final class Bound extends Kernel {
    private final Binding binding;
    private final VariableColumn column;
    private final long[] memory = new long[2];
    private long[] ofAll = {};

    Bound(Binding binding, VariableColumn column) {
      this.binding = binding;
      this.column = column;
    }

    boolean isOf(Binding other) {
      return binding == other;
    }

    @Override
    int evaluate(CutBatch batch) {
      return switch (batch.domain()) {
        case NODES, WRITES -> readAll(batch);
        case RANGE -> {
          boolean isOfAny = binding.node == NodeTable.NONE || column.isPacked(binding.node);
          yield isOfAny ? readRange(batch) : read(column, binding.node, batch, memory);
        }
        case PRESENT, PLACES -> read(column, binding.node, batch, memory);
      };
    }

    private int readAll(CutBatch batch) {
      type = column.packedType();
      ofAll = ensureSize(ofAll, batch.size());
      if (batch.domain() == Domain.WRITES) {
        batch.of(column).copyWritten(ofAll);
      } else {
        batch.of(column).copyOfNodes(binding.isBeforePart, ofAll);
      }
      values = ofAll;
      return KNOWN;
    }

    private int readRange(CutBatch batch) {
      type = column.packedType();
      values = batch.of(column).all(memory);
      return KNOWN;
    }

    @Override
    VariableColumn column() {
      return column;
    }

    @Override
    @Nullable VariableColumn atNodeOf() {
      return binding.isValue ? null : column;
    }
  }

  /** The element to which a quantifier binds a name at present. */
  static final class Binding {
    /** Whether the name is a value and not a node. */
    private final boolean isValue;

    /** The node, or the node of the value; {@link NodeTable#NONE} for any. */
    int node = NodeTable.NONE;

    /** Whether values of nodes are meant as before the part that is examined. */
    boolean isBeforePart;

    Binding(boolean isValue) {
      this.isValue = isValue;
    }
  }
}
