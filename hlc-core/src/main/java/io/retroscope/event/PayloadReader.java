// SPDX-License-Identifier: Apache-2.0
package io.retroscope.event;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.BlockColumns.SetsOfLongs;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The decoder of payloads written by {@link PayloadWriter}. It refuses everything that the writer
 * would not write.
 */
final class PayloadReader {
  private final WireReader in;

  /** Read before all columns that refer to them. */
  private Dictionaries dictionaries = Dictionaries.EMPTY;

  PayloadReader(WireReader in) {
    this.in = in;
  }

  EventBlock read() throws CorruptBlockException {
    List<String> nodes = in.getTexts("nodes");
    BlockHeader header = readHeader();
    checkNodes(nodes, header);
    List<String> logs = in.getTexts("logs");
    List<String> names = in.getTexts("names");
    List<String> texts = in.getTexts("texts");
    List<Value> nested = readNested();
    int size = in.getBounded("number of events", EventBlock.MAX_EVENTS);
    int changeCount = in.getBounded("number of changes", EventBlock.MAX_CHANGES);
    if (size > in.remaining()) {
      throw in.corrupt(size + " events in " + in.remaining() + " bytes");
    }
    if (changeCount > in.remaining()) {
      // Only NULLs occupy no bytes, and only in a constant column: if one event unsets one variable
      // repeatedly, which no recorder writes.
      throw in.corrupt(changeCount + " changes in " + in.remaining() + " bytes");
    }
    dictionaries = new Dictionaries(nodes, logs, names, texts, nested);
    BlockColumns columns = readColumns(size, changeCount);
    if (in.remaining() > 0) {
      throw in.corrupt(in.remaining() + " bytes too many in the payload");
    }
    boolean fits = columns.writeLongsOnly(size) && columns.areNamed(changeCount);
    for (int row = 0; row < size && !fits; row++) {
      checkShape(columns, row);
    }
    return block(header, columns, BlockProperties.find(nested, columns));
  }

  /** What {@link #read} would allocate, as far as it lasts. */
  static long decodedBytes(WireReader in) throws CorruptBlockException {
    long bytes = textBytes(in, "nodes") + Dictionaries.TEXT_BYTES + in.skipText();
    in.getVarint();
    in.getLong();
    in.getVarint();
    for (String part : List.of("logs", "names", "texts")) {
      bytes += textBytes(in, part);
    }
    int nested = in.getCount("nested values");
    for (int i = 0; i < nested; i++) {
      bytes += NestedValues.skip(in);
    }
    int size = in.getBounded("number of events", EventBlock.MAX_EVENTS);
    int changes = in.getBounded("number of changes", EventBlock.MAX_CHANGES);
    // Read refuses more than there are bytes before it allocates them.
    return bytes
        + BlockColumns.memoryBytes(
            Math.min(size, in.remaining()), Math.min(changes, in.remaining()));
  }

  private static long textBytes(WireReader in, String what) throws CorruptBlockException {
    int count = in.getCount(what);
    long bytes = 0;
    for (int i = 0; i < count; i++) {
      bytes += Dictionaries.TEXT_BYTES + in.skipText();
    }
    return bytes;
  }

  private EventBlock block(BlockHeader header, BlockColumns columns, BlockProperties properties) {
    int size = columns.maxEvents();
    return new EventBlock(
        header.promising(properties.promiseMicros()),
        properties.isEmpty() ? dictionaries : dictionaries.withoutLastNested(),
        properties.unbound() ? columns.marked(EventMark.UNBOUND) : columns,
        size,
        columns.maxChanges());
  }

  private BlockHeader readHeader() throws CorruptBlockException {
    String incarnation = in.getText();
    long number = in.getVarint();
    long heartbeat = HlcTimestamp.fromWire(in.getLong());
    long lastSequence = in.getVarint();
    if (number < 0 || lastSequence < 0) {
      throw in.corrupt("block number or last sequence above " + Long.MAX_VALUE);
    }
    return new BlockHeader(incarnation, number, heartbeat, lastSequence, 0);
  }

  private void checkNodes(List<String> nodes, BlockHeader header) throws CorruptBlockException {
    if (header.number() > 0 && nodes.size() != 1) {
      throw in.corrupt("a numbered block of " + nodes.size() + " nodes");
    }
    for (String node : nodes) {
      if (node.isEmpty() || node.length() > Event.MAX_NODE_LENGTH) {
        throw in.corrupt("a node's name of " + node.length() + " characters");
      }
    }
  }

  private List<Value> readNested() throws CorruptBlockException {
    int count = in.getCount("nested values");
    List<Value> nested = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      nested.add(NestedValues.read(in));
    }
    return nested;
  }

  /** Reads all columns. Those that most blocks have in common are not made again. */
  private BlockColumns readColumns(int size, int changeCount) throws CorruptBlockException {
    if (size == 0) {
      checkChangeCount(changeCount, 0);
      return new BlockColumns(0, 0);
    }
    long[] hlc = readStamps(size);
    int[] node = readNodes(size);
    long[] physical = readPhysical(hlc);
    long[] sequence = readSequences(node, size);
    byte[] kind = readBytes("kind", size, EventKind.COUNT, SetsOfLongs.KINDS);
    int marksLimit = BlockColumns.MARKS_MASK + 1;
    byte[] marks = readBytes("marks", size, marksLimit, SetsOfLongs.ZERO_BYTES);
    int[] log = readInts("log", size, dictionaries.logs().size());
    int[] changeStart = readChangeStarts(size);
    checkChangeCount(changeCount, changeStart[size]);
    return new BlockColumns(
        hlc, node, physical, sequence, kind, marks, log, changeStart, readChanges(changeCount));
  }

  private void checkChangeCount(int changeCount, int ofEvents) throws CorruptBlockException {
    if (ofEvents != changeCount) {
      throw in.corrupt(changeCount + " changes, but the events have " + ofEvents);
    }
  }

  private long[] readStamps(int size) throws CorruptBlockException {
    long[] stamps = new long[size];
    long micros = in.getLong();
    long before = HlcTimestamp.MIN_PACKED;
    for (int row = 0; row < size; row++) {
      long code = in.getVarint();
      micros += code >>> 1;
      if (micros < 0 || micros > HlcTimestamp.MAX_MICROS) {
        throw in.corrupt("event " + row + " has a stamp out of range");
      }
      int logical = (code & 1) == 0 ? 0 : in.getBounded("logical", HlcTimestamp.MAX_LOGICAL);
      long hlc = HlcTimestamp.pack(micros, logical);
      if (hlc < before) {
        throw in.corrupt("event " + row + " has a lower stamp than the one before");
      }
      stamps[row] = hlc;
      before = hlc;
    }
    return stamps;
  }

  private int[] readNodes(int size) throws CorruptBlockException {
    int count = dictionaries.nodes().size();
    if (count == 0) {
      throw in.corrupt("events, but no node");
    }
    return count == 1 ? SetsOfLongs.ZEROS : readInts("node", size, count);
  }

  private long[] readPhysical(long[] hlc) throws CorruptBlockException {
    long[] physical = new long[hlc.length];
    if (!readColumn("physical", physical, true)) {
      Arrays.fill(physical, Event.NO_PHYSICAL);
      return physical;
    }
    for (int row = 0; row < physical.length; row++) {
      physical[row] = HlcTimestamp.micros(hlc[row]) - physical[row];
    }
    return physical;
  }

  private long[] readSequences(int[] node, int size) throws CorruptBlockException {
    long[] sequence = new long[size];
    readColumn("sequence", sequence, false);
    long[] before = new long[dictionaries.nodes().size()];
    for (int row = 0; row < size; row++) {
      sequence[row] += before[node[row]];
      before[node[row]] = sequence[row];
    }
    return sequence;
  }

  private int[] readChangeStarts(int size) throws CorruptBlockException {
    String what = "number of changes";
    boolean isConstant = isConstant(what);
    int constant = isConstant ? readCell(what, EventBlock.MAX_CHANGES + 1) : 0;
    if (constant == 1) {
      return SetsOfLongs.CHANGE_STARTS;
    }
    int[] starts = new int[size + 1];
    long end = 0;
    for (int row = 0; row < size; row++) {
      end += isConstant ? constant : readCell(what, EventBlock.MAX_CHANGES + 1);
      end = Math.min(end, Integer.MAX_VALUE);
      starts[row + 1] = (int) end;
    }
    return starts;
  }

  private OrderedRows.Changes readChanges(int count) throws CorruptBlockException {
    if (count == 0) {
      return new OrderedRows.Changes(0);
    }
    int operations = EventBody.Operation.count();
    byte[] operation = readBytes("operation", count, operations, SetsOfLongs.OPERATIONS);
    int[] name = readNames(count);
    byte[] type = readBytes("type", count, ValueType.COUNT, SetsOfLongs.TYPES);
    long[] bits = type == SetsOfLongs.TYPES ? readLongs(name, count) : readValues(name, type);
    return new OrderedRows.Changes(operation, name, type, bits);
  }

  /** The names' indexes, which are written as one more, so that none is 0. */
  private int[] readNames(int count) throws CorruptBlockException {
    int limit = dictionaries.names().size() + 1;
    boolean isConstant = isConstant("name");
    int constant = isConstant ? readCell("name", limit) - 1 : 0;
    if (isConstant && constant == 0 && count <= SetsOfLongs.ZEROS.length) {
      return SetsOfLongs.ZEROS;
    }
    int[] names = new int[count];
    for (int change = 0; change < count; change++) {
      names[change] = isConstant ? constant : readCell("name", limit) - 1;
    }
    return names;
  }

  private long[] readValues(int[] name, byte[] type) throws CorruptBlockException {
    long[] bits = new long[type.length];
    long[] before = new long[dictionaries.names().size() + 1];
    for (int change = 0; change < bits.length; change++) {
      bits[change] =
          switch (ValueType.ofCode(type[change])) {
            case NULL -> 0;
            case LONG -> before[name[change] + 1] += in.getZigzag();
            case DOUBLE -> in.getLong();
            case BOOLEAN -> in.getBounded("truth value", 1);
            case STRING -> in.getBounded("text index", dictionaries.texts().size() - 1);
            case NESTED -> in.getBounded("nested value index", dictionaries.nested().size() - 1);
          };
    }
    return bits;
  }

  private long[] readLongs(int[] name, int count) throws CorruptBlockException {
    long[] bits = new long[count];
    long[] before = new long[dictionaries.names().size() + 1];
    for (int change = 0; change < count; change++) {
      int index = name[change] + 1;
      before[index] += in.getZigzag();
      bits[change] = before[index];
    }
    return bits;
  }

  /** A column; {@code usual} itself, which may be longer, if all cells are its. */
  private byte[] readBytes(String what, int count, int limit, byte[] usual)
      throws CorruptBlockException {
    boolean isConstant = isConstant(what);
    byte constant = isConstant ? (byte) readCell(what, limit) : 0;
    if (isConstant && constant == usual[0] && count <= usual.length) {
      return usual;
    }
    byte[] cells = new byte[count];
    Arrays.fill(cells, constant);
    for (int row = 0; row < count && !isConstant; row++) {
      cells[row] = (byte) readCell(what, limit);
    }
    return cells;
  }

  private int[] readInts(String what, int count, int limit) throws CorruptBlockException {
    boolean isConstant = isConstant(what);
    int constant = isConstant ? readCell(what, limit) : 0;
    if (isConstant && constant == 0) {
      return SetsOfLongs.ZEROS;
    }
    int[] cells = new int[count];
    Arrays.fill(cells, constant);
    for (int row = 0; row < count && !isConstant; row++) {
      cells[row] = readCell(what, limit);
    }
    return cells;
  }

  private boolean isConstant(String what) throws CorruptBlockException {
    int mode = in.getByte();
    if (mode != PayloadWriter.CONSTANT && mode != PayloadWriter.PLAIN) {
      throw in.corrupt("unknown mode " + mode + " of the column " + what);
    }
    return mode == PayloadWriter.CONSTANT;
  }

  private int readCell(String what, int limit) throws CorruptBlockException {
    long cell = in.getZigzag();
    if (cell < 0 || cell >= limit) {
      throw in.corrupt(what + " " + cell + " is not below " + limit);
    }
    return (int) cell;
  }

  /** Reads a column, and returns false if its mode is ABSENT. */
  private boolean readColumn(String what, long[] cells, boolean mayBeAbsent)
      throws CorruptBlockException {
    int mode = in.getByte();
    if (mode == PayloadWriter.CONSTANT) {
      Arrays.fill(cells, in.getZigzag());
    } else if (mode == PayloadWriter.PLAIN) {
      for (int row = 0; row < cells.length; row++) {
        cells[row] = in.getZigzag();
      }
    } else if (mode != PayloadWriter.ABSENT || !mayBeAbsent) {
      throw in.corrupt("unknown mode " + mode + " of the column " + what);
    }
    return mode != PayloadWriter.ABSENT;
  }

  /** Checks the assumptions of {@link EventBlock#body}. */
  private void checkShape(BlockColumns columns, int row) throws CorruptBlockException {
    if (!BodyLayout.fits(columns, dictionaries, row)) {
      throw in.corrupt(
          "event %d does not have the changes of a %s"
              .formatted(row, EventKind.ofCode(columns.kind[row])));
    }
  }
}
