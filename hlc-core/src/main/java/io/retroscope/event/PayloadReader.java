package io.retroscope.event;

import io.retroscope.clock.HlcTimestamp;
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
    BlockColumns columns = new BlockColumns(size, changeCount);
    if (size > 0) {
      readStamps(columns);
      readEventColumns(columns);
    }
    if (columns.changeStart[size] != changeCount) {
      throw in.corrupt(changeCount + " changes, but the events have " + columns.changeStart[size]);
    }
    boolean areLongs = false;
    if (changeCount > 0) {
      readChangeColumns(columns);
      areLongs = columns.writeLongsOnly(size);
      if (areLongs) {
        readLongs(columns);
      } else {
        readValues(columns);
      }
    }
    if (in.remaining() > 0) {
      throw in.corrupt(in.remaining() + " bytes too many in the payload");
    }
    boolean fits = areLongs && columns.areNamed(changeCount);
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
    if (properties.unbound()) {
      for (int row = 0; row < size; row++) {
        columns.marks[row] |= (byte) EventMark.UNBOUND.bit();
      }
    }
    return new EventBlock(
        header.promising(properties.promiseMicros()),
        properties.isEmpty() ? dictionaries : dictionaries.withoutLastNested(),
        columns,
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

  private void readStamps(BlockColumns columns) throws CorruptBlockException {
    long micros = in.getLong();
    long before = HlcTimestamp.MIN_PACKED;
    for (int row = 0; row < columns.hlc.length; row++) {
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
      columns.hlc[row] = hlc;
      before = hlc;
    }
  }

  private void readEventColumns(BlockColumns columns) throws CorruptBlockException {
    if (dictionaries.nodes().size() > 1) {
      readInts("node", columns.node, dictionaries.nodes().size());
    } else if (dictionaries.nodes().isEmpty()) {
      throw in.corrupt("events, but no node");
    }
    readPhysical(columns);
    readSequences(columns);
    readBytes("kind", columns.kind, EventKind.COUNT);
    readBytes("marks", columns.marks, BlockColumns.MARKS_MASK + 1);
    readInts("log", columns.log, dictionaries.logs().size());
    int[] counts = new int[columns.hlc.length];
    readInts("number of changes", counts, EventBlock.MAX_CHANGES + 1);
    long end = 0;
    for (int row = 0; row < counts.length; row++) {
      end = Math.min(end + counts[row], Integer.MAX_VALUE);
      columns.changeStart[row + 1] = (int) end;
    }
  }

  private void readPhysical(BlockColumns columns) throws CorruptBlockException {
    if (!readColumn("physical", columns.physical, true)) {
      Arrays.fill(columns.physical, Event.NO_PHYSICAL);
      return;
    }
    for (int row = 0; row < columns.physical.length; row++) {
      columns.physical[row] = HlcTimestamp.micros(columns.hlc[row]) - columns.physical[row];
    }
  }

  private void readSequences(BlockColumns columns) throws CorruptBlockException {
    readColumn("sequence", columns.sequence, false);
    long[] before = new long[dictionaries.nodes().size()];
    for (int row = 0; row < columns.sequence.length; row++) {
      long sequence = before[columns.node[row]] + columns.sequence[row];
      columns.sequence[row] = sequence;
      before[columns.node[row]] = sequence;
    }
  }

  private void readChangeColumns(BlockColumns columns) throws CorruptBlockException {
    readBytes("operation", columns.operation, EventBody.Operation.count());
    readInts("name", columns.name, dictionaries.names().size() + 1);
    for (int change = 0; change < columns.name.length; change++) {
      columns.name[change]--;
    }
    readBytes("type", columns.type, ValueType.COUNT);
  }

  private void readValues(BlockColumns columns) throws CorruptBlockException {
    long[] before = new long[dictionaries.names().size() + 1];
    for (int change = 0; change < columns.bits.length; change++) {
      columns.bits[change] =
          switch (ValueType.ofCode(columns.type[change])) {
            case NULL -> 0;
            case LONG -> before[columns.name[change] + 1] += in.getZigzag();
            case DOUBLE -> in.getLong();
            case BOOLEAN -> in.getBounded("truth value", 1);
            case STRING -> in.getBounded("text index", dictionaries.texts().size() - 1);
            case NESTED -> in.getBounded("nested value index", dictionaries.nested().size() - 1);
          };
    }
  }

  private void readLongs(BlockColumns columns) throws CorruptBlockException {
    long[] before = new long[dictionaries.names().size() + 1];
    for (int change = 0; change < columns.bits.length; change++) {
      int name = columns.name[change] + 1;
      before[name] += in.getZigzag();
      columns.bits[change] = before[name];
    }
  }

  private void readBytes(String what, byte[] cells, int limit) throws CorruptBlockException {
    if (isConstant(what)) {
      Arrays.fill(cells, (byte) readCell(what, limit));
      return;
    }
    for (int row = 0; row < cells.length; row++) {
      cells[row] = (byte) readCell(what, limit);
    }
  }

  private void readInts(String what, int[] cells, int limit) throws CorruptBlockException {
    if (isConstant(what)) {
      Arrays.fill(cells, readCell(what, limit));
      return;
    }
    for (int row = 0; row < cells.length; row++) {
      cells[row] = readCell(what, limit);
    }
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
