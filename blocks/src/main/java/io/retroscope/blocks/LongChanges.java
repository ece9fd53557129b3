package io.retroscope.blocks;

import io.retroscope.event.CorruptBlockException;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.PackedColumn;
import io.retroscope.event.ValueType;
import io.retroscope.event.WireReader;
import org.jspecify.annotations.Nullable;

/**
 * The changes of one variable in a sealed block, each of which sets a LONG. Immutable.
 *
 * @param rows the row of each change, strictly ascending; null if there is one in each row
 */
record LongChanges(int size, @Nullable PackedColumn rows, PackedColumn numbers) {
  /**
   * Reads a section as {@link Changes#read} does; null if not all changes set LONGs.
   *
   * @param rowCount of the block
   */
  static @Nullable LongChanges read(WireReader in, int rowCount) throws CorruptBlockException {
    int size = in.getBounded("number of changes", Changes.MAX_COUNT);
    long texts = in.getVarint();
    long nested = texts == 0 ? in.getVarint() : 0;
    if (texts + nested > 0 || size > rowCount) {
      return null;
    }
    boolean everyRow = in.getBounded("mode of rows", 1) == 1;
    if (everyRow && size != rowCount) {
      throw in.corrupt(size + " changes in each of " + rowCount + " rows");
    }
    PackedColumn rows = everyRow ? null : PackedColumn.read(in, size);
    PackedColumn places = PackedColumn.read(in, size);
    PackedColumn operations = PackedColumn.read(in, size);
    PackedColumn types = PackedColumn.read(in, size);
    boolean areLongs =
        isAll(operations, Operation.SET.code()) && isAll(types, ValueType.LONG.code());
    return areLongs && places.size() == size
        ? new LongChanges(size, rows, PackedColumn.read(in, size))
        : null;
  }

  private static boolean isAll(PackedColumn column, long number) {
    return column.size() > 0 && column.isConstant() && column.at(0) == number;
  }
}
