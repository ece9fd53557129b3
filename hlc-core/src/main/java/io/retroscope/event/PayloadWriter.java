package io.retroscope.event;

import io.retroscope.clock.HlcTimestamp;

/** Writes a block's content as it stands between the frame's header and its checksum. */
final class PayloadWriter {
  /*
   *   nodes                          count, then each as length and UTF-8
   *   incarnation, number, heartbeat (8 bytes), last sequence
   *   logs, names, texts             like the nodes
   *   nested values                  count, then each as NestedValues has it
   *   event count, change count
   *   first micros (8 bytes), then per event micros delta << 1 | (logical != 0), logical if not 0
   *   columns of the events          node (if several), physical, sequence, kind, marks, log,
   *                                  number of changes
   *   columns of the changes         operation, name + 1, type
   *   values, per change             LONG: zigzag of the difference to the same name's LONG before;
   *                                  DOUBLE: 8 bytes; NULL: nothing; the others: varint
   *
   * A column is a mode byte and its content: CONSTANT and one zigzag number for all rows, PLAIN and a
   * zigzag number a row, or nothing at all where there is no row. A physical reading is kept as its
   * distance below the stamp, or as the mode ABSENT where no row has one; a sequence number as the
   * difference to the same node's before. So most cells take one byte or none.
   */
  static final int CONSTANT = 0;
  static final int PLAIN = 1;
  static final int ABSENT = 2;

  private final EventBlock block;
  private final BlockColumns columns;
  private final WireWriter out;

  PayloadWriter(EventBlock block, WireWriter out) {
    this.block = block;
    this.columns = block.columns();
    this.out = out;
  }

  void write() {
    out.putTexts(columns.nodes);
    out.putText(block.incarnation());
    out.putVarint(block.number());
    out.putLong(HlcTimestamp.toWire(block.heartbeat()));
    out.putVarint(block.lastSequence());
    out.putTexts(columns.logs);
    out.putTexts(columns.names);
    out.putTexts(columns.texts);
    out.putVarint(columns.nested.size());
    columns.nested.forEach(value -> NestedValues.write(value, out));
    out.putVarint(block.size());
    out.putVarint(block.changeCount());
    if (!block.isEmpty()) {
      writeStamps();
      writeEventColumns();
    }
    if (block.changeCount() > 0) {
      writeChangeColumns();
      writeValues();
    }
  }

  private void writeStamps() {
    long before = HlcTimestamp.micros(columns.hlc[0]);
    out.putLong(before);
    for (long hlc : columns.hlc) {
      long micros = HlcTimestamp.micros(hlc);
      int logical = HlcTimestamp.logical(hlc);
      out.putVarint((micros - before) << 1 | (logical == 0 ? 0 : 1));
      if (logical != 0) {
        out.putVarint(logical);
      }
      before = micros;
    }
  }

  private void writeEventColumns() {
    int size = block.size();
    if (columns.nodes.size() > 1) {
      writeColumn(size, row -> columns.node[row]);
    }
    writePhysical();
    writeSequences();
    writeColumn(size, row -> columns.kind[row]);
    writeColumn(size, row -> columns.marks[row]);
    writeColumn(size, row -> columns.log[row]);
    writeColumn(size, row -> columns.changeStart[row + 1] - columns.changeStart[row]);
  }

  private void writePhysical() {
    boolean absent = true;
    for (long reading : columns.physical) {
      absent &= reading == Event.NO_PHYSICAL;
    }
    if (absent) {
      out.putByte(ABSENT);
    } else {
      writeColumn(
          block.size(), row -> HlcTimestamp.micros(columns.hlc[row]) - columns.physical[row]);
    }
  }

  private void writeSequences() {
    long[] differences = new long[block.size()];
    long[] before = new long[columns.nodes.size()];
    for (int row = 0; row < differences.length; row++) {
      differences[row] = columns.sequence[row] - before[columns.node[row]];
      before[columns.node[row]] = columns.sequence[row];
    }
    writeColumn(differences.length, row -> differences[row]);
  }

  private void writeChangeColumns() {
    int count = block.changeCount();
    writeColumn(count, change -> columns.operation[change]);
    writeColumn(count, change -> columns.name[change] + 1);
    writeColumn(count, change -> columns.type[change]);
  }

  private void writeValues() {
    long[] before = new long[columns.names.size() + 1];
    for (int change = 0; change < columns.bits.length; change++) {
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

  /** A column by its rows. */
  private interface Cells {
    long at(int row);
  }

  private void writeColumn(int size, Cells cells) {
    long first = cells.at(0);
    boolean constant = true;
    for (int row = 1; row < size && constant; row++) {
      constant = cells.at(row) == first;
    }
    out.putByte(constant ? CONSTANT : PLAIN);
    for (int row = 0; row < (constant ? 1 : size); row++) {
      out.putZigzag(cells.at(row));
    }
  }
}
