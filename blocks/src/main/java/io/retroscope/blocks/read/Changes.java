// SPDX-License-Identifier: Apache-2.0
package io.retroscope.blocks.read;

import io.retroscope.event.CorruptBlockException;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.NestedValues;
import io.retroscope.event.PackedColumn;
import io.retroscope.event.Value;
import io.retroscope.event.ValueType;
import io.retroscope.event.WireReader;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Changes of rows of a sealed block, in the order of the rows: those of one variable, of all rare
 * variables, or the contents of rows of other kinds. Immutable and thread-safe.
 */
public final class Changes {
  /*
   * section:  varint count | texts | nested values | columns
   * columns:  byte: 1 if there is one change in each row, otherwise 0 and the column of rows
   *           place in the event | operation | type | name (shared sections only) | bits
   */
  static final int MAX_COUNT = 1 << 20;

  /** The limit of names that are texts of the section, in {@link #read}. */
  public static final int FIELD_NAMES = -1;

  private static final Operation[] OPERATIONS = Operation.values();
  private static final int TYPES = ValueType.values().length;

  private final int size;
  private final long[] rows;
  private final long[] places;
  private final long[] operations;
  private final long[] types;
  private final long[] names;
  private final long[] bits;
  private final List<String> texts;
  private final List<Value> nested;

  private Changes(int size, long[][] columns, List<String> texts, List<Value> nested) {
    this(size, columns, new long[size], texts, nested);
  }

  private Changes(
      int size, long[][] columns, long[] names, List<String> texts, List<Value> nested) {
    this.size = size;
    this.rows = columns[0];
    this.places = columns[1];
    this.operations = columns[2];
    this.types = columns[3];
    this.bits = columns[4];
    this.names = names;
    this.texts = texts;
    this.nested = nested;
  }

  /** One empty text, without a name, in each of some rows. */
  static Changes ofEmptyTexts(int[] rows) {
    int size = rows.length;
    long[][] columns = new long[5][size];
    for (int i = 0; i < size; i++) {
      columns[0][i] = rows[i];
    }
    Arrays.fill(columns[2], Operation.SET.code());
    Arrays.fill(columns[3], ValueType.STRING.code());
    return new Changes(size, columns, List.of(""), List.of());
  }

  /** The number of changes. */
  public int size() {
    return size;
  }

  /** The row of a change. */
  public int row(int change) {
    return (int) rows[change];
  }

  /** The index of a change among the changes of its event. */
  int place(int change) {
    return (int) places[change];
  }

  /** The operation of a change. */
  public Operation operation(int change) {
    return OPERATIONS[(int) operations[change]];
  }

  /** The type of a change's value. */
  public ValueType type(int change) {
    return ValueType.ofCode((int) types[change]);
  }

  /** The id of the variable, or the index of a field's name plus 1, in a shared section. */
  int name(int change) {
    return (int) names[change];
  }

  /** The value as a block holds it; an index for texts, sets and structs. */
  public long bits(int change) {
    return bits[change];
  }

  String text(long index) {
    return texts.get((int) index);
  }

  /** The texts to which {@link #bits} refer. */
  List<String> texts() {
    return texts;
  }

  /** The sets and structs to which {@link #bits} refer. */
  List<Value> nested() {
    return nested;
  }

  static List<String> readTexts(WireReader in) throws CorruptBlockException {
    int count = in.getCount("texts");
    List<String> texts = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      texts.add(in.getText());
    }
    return texts;
  }

  static List<Value> readNested(WireReader in) throws CorruptBlockException {
    int count = in.getCount("nested values");
    List<Value> nested = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      nested.add(NestedValues.read(in));
    }
    return nested;
  }

  static long[] readColumn(WireReader in, int size) throws CorruptBlockException {
    PackedColumn column = PackedColumn.read(in, size);
    long[] values = new long[size];
    column.decode(values);
    return values;
  }

  /**
   * Reads a section.
   *
   * @param rowCount of the block
   * @param nameCount 0 if the section has no names, their limit, or {@link #FIELD_NAMES}
   */
  public static Changes read(WireReader in, int rowCount, int nameCount)
      throws CorruptBlockException {
    int size = in.getBounded("number of changes", MAX_COUNT);
    List<String> texts = readTexts(in);
    List<Value> nested = readNested(in);
    long[][] columns = new long[5][];
    boolean everyRow = in.getBounded("mode of rows", 1) == 1;
    if (everyRow && size != rowCount) {
      throw in.corrupt(size + " changes in each of " + rowCount + " rows");
    }
    columns[0] = everyRow ? identity(size) : readColumn(in, size);
    for (int i = 1; i < 4; i++) {
      columns[i] = readColumn(in, size);
    }
    long[] names = nameCount == 0 ? new long[size] : readColumn(in, size);
    columns[4] = readColumn(in, size);
    Changes changes = new Changes(size, columns, names, texts, nested);
    changes.check(in, rowCount, nameCount < 0 ? texts.size() + 1 : Math.max(1, nameCount));
    return changes;
  }

  private static long[] identity(int size) {
    long[] rows = new long[size];
    for (int i = 0; i < size; i++) {
      rows[i] = i;
    }
    return rows;
  }

  private void check(WireReader in, int rowCount, int nameLimit) throws CorruptBlockException {
    long previous = 0;
    for (int i = 0; i < size; i++) {
      boolean valid =
          rows[i] >= previous
              && rows[i] < rowCount
              && isBelow(places[i], MAX_COUNT)
              && isBelow(operations[i], OPERATIONS.length)
              && isBelow(types[i], TYPES)
              && isBelow(names[i], nameLimit)
              && isBelow(bits[i], limit(ValueType.ofCode((int) types[i])));
      if (!valid || !isOperand(i)) {
        throw in.corrupt("change " + i + " of " + size + " is outside its limits");
      }
      previous = rows[i];
    }
  }

  private static boolean isBelow(long number, long limit) {
    return limit == Long.MAX_VALUE || (number >= 0 && number < limit);
  }

  private long limit(ValueType type) {
    return switch (type) {
      case NULL -> 1;
      case BOOLEAN -> 2;
      case LONG, DOUBLE -> Long.MAX_VALUE;
      case STRING -> texts.size();
      case NESTED -> nested.size();
    };
  }

  /** An addition or removal needs a set. */
  private boolean isOperand(int change) {
    return switch (operation(change)) {
      case SET, UNSET -> true;
      case ADD, REMOVE ->
          type(change) == ValueType.NESTED
              && nested.get((int) bits[change]) instanceof Value.SetValue;
    };
  }
}
