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
    if (columns.nodes.size() > 1) {
      writeColumn(columns.node);
    }
    writePhysical();
    writeSequences();
    writeColumn(columns.kind);
    writeColumn(columns.marks);
    writeColumn(columns.log);
    long[] counts = new long[block.size()];
    for (int row = 0; row < counts.length; row++) {
      counts[row] = (long) columns.changeStart[row + 1] - columns.changeStart[row];
    }
    writeColumn(counts);
  }

  private void writePhysical() {
    long[] distances = new long[block.size()];
    boolean absent = true;
    for (int row = 0; row < distances.length; row++) {
      absent &= columns.physical[row] == Event.NO_PHYSICAL;
      distances[row] = HlcTimestamp.micros(columns.hlc[row]) - columns.physical[row];
    }
    if (absent) {
      out.putByte(ABSENT);
    } else {
      writeColumn(distances);
    }
  }

  private void writeSequences() {
    long[] differences = new long[block.size()];
    long[] before = new long[columns.nodes.size()];
    for (int row = 0; row < differences.length; row++) {
      differences[row] = columns.sequence[row] - before[columns.node[row]];
      before[columns.node[row]] = columns.sequence[row];
    }
    writeColumn(differences);
  }

  private void writeChangeColumns() {
    writeColumn(columns.operation);
    long[] names = new long[block.changeCount()];
    for (int change = 0; change < names.length; change++) {
      names[change] = columns.name[change] + 1L;
    }
    writeColumn(names);
    writeColumn(columns.type);
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

  private void writeColumn(byte[] cells) {
    long[] wide = new long[cells.length];
    for (int row = 0; row < cells.length; row++) {
      wide[row] = cells[row];
    }
    writeColumn(wide);
  }

  private void writeColumn(int[] cells) {
    long[] wide = new long[cells.length];
    for (int row = 0; row < cells.length; row++) {
      wide[row] = cells[row];
    }
    writeColumn(wide);
  }

  private void writeColumn(long[] cells) {
    boolean constant = true;
    for (int row = 1; row < cells.length && constant; row++) {
      constant = cells[row] == cells[0];
    }
    out.putByte(constant ? CONSTANT : PLAIN);
    for (int row = 0; row < (constant ? 1 : cells.length); row++) {
      out.putZigzag(cells[row]);
    }
  }
}
