// SPDX-License-Identifier: Apache-2.0
package io.retroscope.event;

import io.retroscope.clock.HlcTimestamp;
import java.util.List;

/** The encoder of a block's payload, the part between the frame's header and its checksum. */
final class PayloadWriter {
  /*
   *   nodes                          count, then each as length and UTF-8
   *   incarnation, number, heartbeat (8 bytes), last sequence
   *   logs, names, texts             like the nodes
   *   nested values                  count, then each as NestedValues has it; last, if there are
   *                                  any, the BlockProperties, to which no change refers
   *   event count, change count
   *   first micros (8 bytes), then per event micros delta << 1 | (logical != 0), logical if not 0
   *   columns of the events          node (if several), physical, sequence, kind, marks, log,
   *                                  number of changes
   *   columns of the changes         operation, name + 1, type
   *   values, per change             LONG: zigzag of the difference to the same name's LONG before;
   *                                  DOUBLE: 8 bytes; NULL: nothing; the others: varint
   *
   * A column is a mode byte and its content: CONSTANT and one zigzag number for all rows, PLAIN and
   * one zigzag number per row, or nothing at all if there are no rows. A physical reading is stored
   * as its distance below the stamp, or as the mode ABSENT if no row has one; a sequence number as
   * the difference from the same node's previous one. Most cells therefore take one byte or none.
   */
  static final int CONSTANT = 0;
  static final int PLAIN = 1;
  static final int ABSENT = 2;

  private final WireWriter out;

  /** The current column; reused for the next one. */
  private long[] cells = new long[0];

  /** The current block's properties; kept because the next block's are nearly always the same. */
  private BlockProperties properties = BlockProperties.NONE;

  private Value propertiesValue = properties.toValue();

  PayloadWriter(WireWriter out) {
    this.out = out;
  }

  void write(EventBlock block) {
    Dictionaries dictionaries = block.dictionaries();
    out.putTexts(dictionaries.nodes());
    out.putText(block.incarnation());
    out.putVarint(block.number());
    out.putLong(HlcTimestamp.toWire(block.heartbeat()));
    out.putVarint(block.lastSequence());
    out.putTexts(dictionaries.logs());
    out.putTexts(dictionaries.names());
    out.putTexts(dictionaries.texts());
    int size = block.size();
    int changeCount = block.changeCount();
    boolean unbound = size > 0 && areUnbound(block.columns(), size);
    writeNested(dictionaries.nested(), block.promiseMicros(), unbound);
    out.putVarint(size);
    out.putVarint(changeCount);
    if (cells.length < Math.max(size, changeCount)) {
      cells = new long[Math.max(size, changeCount)];
    }
    if (size > 0) {
      writeStamps(block.columns().hlc, size);
      writeEventColumns(block.columns(), size, dictionaries.nodes().size(), unbound);
    }
    if (changeCount > 0) {
      writeChangeColumns(block.columns(), changeCount);
      writeValues(block.columns(), changeCount, dictionaries.names().size());
    }
  }

  private static boolean areUnbound(BlockColumns columns, int size) {
    for (int row = 0; row < size; row++) {
      if ((columns.marks[row] & EventMark.UNBOUND.bit()) == 0) {
        return false;
      }
    }
    return true;
  }

  private void writeNested(List<Value> nested, long promiseMicros, boolean unbound) {
    if (promiseMicros != properties.promiseMicros() || unbound != properties.unbound()) {
      properties = new BlockProperties(promiseMicros, unbound);
      propertiesValue = properties.toValue();
    }
    out.putVarint(nested.size() + (properties.isEmpty() ? 0 : 1));
    for (int i = 0; i < nested.size(); i++) {
      NestedValues.write(nested.get(i), out);
    }
    if (!properties.isEmpty()) {
      NestedValues.write(propertiesValue, out);
    }
  }

  private void writeStamps(long[] stamps, int size) {
    long before = HlcTimestamp.micros(stamps[0]);
    out.putLong(before);
    for (int row = 0; row < size; row++) {
      long micros = HlcTimestamp.micros(stamps[row]);
      int logical = HlcTimestamp.logical(stamps[row]);
      out.putVarint((micros - before) << 1 | (logical == 0 ? 0 : 1));
      if (logical != 0) {
        out.putVarint(logical);
      }
      before = micros;
    }
  }

  private void writeEventColumns(BlockColumns columns, int size, int nodeCount, boolean unbound) {
    if (nodeCount > 1) {
      writeColumn(columns.node, size);
    }
    writePhysical(columns, size);
    writeSequences(columns, size, nodeCount);
    writeColumn(columns.kind, size);
    int inColumn = unbound ? ~EventMark.UNBOUND.bit() : ~0;
    for (int row = 0; row < size; row++) {
      cells[row] = columns.marks[row] & inColumn;
    }
    writeCells(size);
    writeColumn(columns.log, size);
    for (int row = 0; row < size; row++) {
      cells[row] = (long) columns.changeStart[row + 1] - columns.changeStart[row];
    }
    writeCells(size);
  }

  private void writePhysical(BlockColumns columns, int size) {
    boolean absent = true;
    for (int row = 0; row < size; row++) {
      absent &= columns.physical(row) == Event.NO_PHYSICAL;
      cells[row] = HlcTimestamp.micros(columns.hlc[row]) - columns.physical(row);
    }
    if (absent) {
      out.putByte(ABSENT);
    } else {
      writeCells(size);
    }
  }

  private void writeSequences(BlockColumns columns, int size, int nodeCount) {
    long[] before = new long[nodeCount];
    for (int row = 0; row < size; row++) {
      cells[row] = columns.sequence(row) - before[columns.node[row]];
      before[columns.node[row]] = columns.sequence(row);
    }
    writeCells(size);
  }

  private void writeChangeColumns(BlockColumns columns, int changeCount) {
    writeColumn(columns.operation, changeCount);
    for (int change = 0; change < changeCount; change++) {
      cells[change] = columns.name[change] + 1L;
    }
    writeCells(changeCount);
    writeColumn(columns.type, changeCount);
  }

  private void writeValues(BlockColumns columns, int changeCount, int nameCount) {
    long[] before = new long[nameCount + 1];
    for (int change = 0; change < changeCount; change++) {
      long bits = columns.bits[change];
      switch (ValueType.ofCode(columns.type[change])) {
        case NULL -> {}
        case LONG -> {
          out.putZigzag(bits - before[columns.name[change] + 1]);
          before[columns.name[change] + 1] = bits;
        }
        case DOUBLE -> out.putLong(bits);
        case BOOLEAN, STRING, NESTED -> out.putVarint(bits);
      }
    }
  }

  private void writeColumn(byte[] column, int count) {
    for (int i = 0; i < count; i++) {
      cells[i] = column[i];
    }
    writeCells(count);
  }

  private void writeColumn(int[] column, int count) {
    for (int i = 0; i < count; i++) {
      cells[i] = column[i];
    }
    writeCells(count);
  }

  /** Writes the column in {@link #cells}. */
  private void writeCells(int count) {
    boolean constant = true;
    for (int i = 1; i < count && constant; i++) {
      constant = cells[i] == cells[0];
    }
    out.putByte(constant ? CONSTANT : PLAIN);
    for (int i = 0; i < (constant ? 1 : count); i++) {
      out.putZigzag(cells[i]);
    }
  }
}
