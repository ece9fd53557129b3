// SPDX-License-Identifier: Apache-2.0
package io.retroscope.blocks.read;

import io.retroscope.event.CorruptBlockException;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.PackedColumn;
import io.retroscope.event.ValueType;
import io.retroscope.event.WireReader;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The changes of one variable in a sealed block, each of which sets a value of one type that has
 * bits of its own or is a text. Immutable.
 *
 * @param rows the row of each change; null if there is one in each row
 * @param places the place of each change in its row
 * @param bits as described in {@link ValueType}; those of texts count from the first one here
 */
record PackedChanges(
    int size,
    ValueType type,
    List<String> texts,
    @Nullable PackedColumn rows,
    PackedColumn places,
    PackedColumn bits) {
  /**
   * The number of rows for one change from which on all values are unpacked at once, because a walk
   * unpacks whole runs for each thousand rows.
   */
  private static final int ROWS_PER_CHANGE = 8;

  /**
   * Reads a section as {@link Changes#read} does; null if there are other changes.
   *
   * @param rowCount of the block
   */
  static @Nullable PackedChanges read(WireReader in, int rowCount) throws CorruptBlockException {
    int size = in.getBounded("number of changes", Changes.MAX_COUNT);
    List<String> texts = Changes.readTexts(in);
    if (in.getVarint() > 0 || size > rowCount) {
      return null;
    }
    boolean everyRow = in.getBounded("mode of rows", 1) == 1;
    if (everyRow && size != rowCount) {
      throw in.corrupt(size + " changes in each of " + rowCount + " rows");
    }
    PackedColumn rows = everyRow ? null : PackedColumn.read(in, size);
    PackedColumn places = PackedColumn.read(in, size);
    PackedColumn operations = PackedColumn.read(in, size);
    ValueType type = typeOf(PackedColumn.read(in, size));
    if (type == null || !isAll(operations, Operation.SET.code())) {
      return null;
    }
    return new PackedChanges(size, type, texts, rows, places, PackedColumn.read(in, size));
  }

  private static @Nullable ValueType typeOf(PackedColumn types) {
    for (ValueType type : ValueType.values()) {
      if (hasColumn(type) && isAll(types, type.code())) {
        return type;
      }
    }
    return null;
  }

  private static boolean hasColumn(ValueType type) {
    return switch (type) {
      case BOOLEAN, LONG, DOUBLE, STRING -> true;
      case NULL, NESTED -> false;
    };
  }

  private static boolean isAll(PackedColumn column, long number) {
    return column.size() > 0 && column.isConstant() && column.at(0) == number;
  }

  /** Whether each change has the same place in its row. */
  private boolean areInOnePlace() {
    return places.isConstant() && places.at(0) >= 0 && places.at(0) < Changes.MAX_COUNT;
  }

  /**
   * The changes as columns of a block; null if they are not all at one place of their rows, if a
   * value has none of the bits of its type, or if the rows are not rows of the block, ascending.
   *
   * @param name the index of the variable in the block
   * @param firstText that of the first text
   * @param isOnly whether no other variable has a column in the block
   */
  @Nullable VariableSets sets(
      int name, int firstText, int rowCount, boolean isOnly, Allocation allocation) {
    int[] decodedRows = rows == null ? null : decodedRows(rowCount, allocation.intsAtLeast(size));
    boolean staysPacked =
        !isOnly && limit() == Long.MAX_VALUE && size >= rowCount / ROWS_PER_CHANGE;
    long[] values = staysPacked ? null : decoded(allocation);
    if (!areInOnePlace()
        || (values == null && !staysPacked)
        || (decodedRows == null && rows != null)) {
      return null;
    }
    for (int i = 0; values != null && type == ValueType.STRING && i < size; i++) {
      values[i] += firstText;
    }
    return new VariableSets(name, type.code(), (int) places.at(0), decodedRows, bits, values);
  }

  /** What the bits are below, unless it is the largest LONG. */
  private long limit() {
    return switch (type) {
      case BOOLEAN -> 2;
      case STRING -> texts.size();
      case LONG, DOUBLE -> Long.MAX_VALUE;
      case NULL, NESTED -> throw new AssertionError("a column of " + type);
    };
  }

  /** The bits of all changes, or null if one of them has none of these. */
  long @Nullable [] decoded(Allocation allocation) {
    long[] decoded = allocation.longs(size);
    bits.decode(decoded);
    long limit = limit();
    boolean valid = true;
    for (int i = 0; limit < Long.MAX_VALUE && i < size; i++) {
      valid &= decoded[i] >= 0 && decoded[i] < limit;
    }
    return valid ? decoded : null;
  }

  /**
   * The row of each change; null if there is one in each row, if a row is not in the block, or if
   * they do not ascend.
   *
   * @param decoded the array that is returned, at least {@code size} long
   */
  int @Nullable [] decodedRows(int rowCount, int[] decoded) {
    boolean valid = rows != null && rows.decode(decoded, rowCount);
    for (int i = 1; valid && i < size; i++) {
      valid = decoded[i - 1] < decoded[i];
    }
    return valid ? decoded : null;
  }
}
