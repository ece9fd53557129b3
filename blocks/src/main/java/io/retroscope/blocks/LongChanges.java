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
 * @param rows the row of each change; null if there is one in each row
 * @param places the place of each change in its row
 * @param bits as described in {@link ValueType}; those of texts count from the first one here
 */
record LongChanges(
    int size,
    ValueType type,
    List<String> texts,
    @Nullable PackedColumn rows,
    PackedColumn places,
    PackedColumn bits) {
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
    if (type == null || !isAll(operations, Operation.SET.code())) {
      return null;
    }
    return new LongChanges(size, type, texts, rows, places, PackedColumn.read(in, size));
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

  /** Whether each change has the same place in its row. */
  boolean areInOnePlace() {
    return places.isConstant() && places.at(0) >= 0 && places.at(0) < Changes.MAX_COUNT;
  }

  /**
   * Puts the bits of all changes into every so many entries of an array.
   *
   * @param first the first entry
   * @param firstText added to the index of a text
   * @return whether all have such bits; otherwise those put are useless
   */
  boolean decode(long[] to, int first, int step, int firstText) {
    long limit = limit();
    long add = type == ValueType.STRING ? firstText : 0;
    long[] buffer = new long[Math.min(size, PackedColumn.RUN)];
    boolean valid = true;
    int at = first;
    for (int run = 0; run < bits.runs(); run++) {
      int count = bits.decodeRun(run, buffer, 0);
      for (int i = 0; i < count; i++) {
        valid &= limit == Long.MAX_VALUE || (buffer[i] >= 0 && buffer[i] < limit);
        to[at] = buffer[i] + add;
        at += step;
      }
    }
    return valid;
  }

  /** What the bits are below, unless it is the largest LONG. */
  private long limit() {
    return switch (type) {
      case BOOLEAN -> 2;
      case STRING -> texts.size();
      default -> Long.MAX_VALUE;
    };
  }

  /** The bits of all changes, or null if one of them has none of these. */
  long @Nullable [] decoded() {
    long[] decoded = new long[size];
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
   */
  int @Nullable [] decodedRows(int rowCount) {
    int[] decoded = new int[size];
    boolean valid = rows != null && rows.decode(decoded, rowCount);
    for (int i = 1; i < size; i++) {
      valid &= decoded[i - 1] < decoded[i];
    }
    return valid ? decoded : null;
  }
}
