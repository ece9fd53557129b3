package io.retroscope.blocks;

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
 * @param rows the row of each change, strictly ascending; null if there is one in each row
 * @param bits as described in {@link ValueType}; those of texts count from the first one here
 */
record LongChanges(
    int size, ValueType type, List<String> texts, @Nullable PackedColumn rows, PackedColumn bits) {
  /**
   * Reads a section as {@link Changes#read} does; null if there are other changes.
   *
   * @param rowCount of the block
   */
  static @Nullable LongChanges read(WireReader in, int rowCount) throws CorruptBlockException {
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
    if (type == null || !isAll(operations, Operation.SET.code()) || places.size() != size) {
      return null;
    }
    return new LongChanges(size, type, texts, rows, PackedColumn.read(in, size));
  }

  private static @Nullable ValueType typeOf(PackedColumn types) {
    for (ValueType type :
        List.of(ValueType.LONG, ValueType.STRING, ValueType.DOUBLE, ValueType.BOOLEAN)) {
      if (isAll(types, type.code())) {
        return type;
      }
    }
    return null;
  }

  private static boolean isAll(PackedColumn column, long number) {
    return column.size() > 0 && column.isConstant() && column.at(0) == number;
  }

  /** The bits of all changes, or null if one of them has none of these. */
  long @Nullable [] decoded() {
    long[] decoded = new long[size];
    bits.decode(decoded);
    long limit = type == ValueType.BOOLEAN ? 2 : texts.size();
    boolean valid = true;
    if (type == ValueType.BOOLEAN || type == ValueType.STRING) {
      for (long number : decoded) {
        valid &= number >= 0 && number < limit;
      }
    }
    return valid ? decoded : null;
  }
}
