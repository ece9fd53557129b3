package io.retroscope.blocks;

import io.retroscope.event.CorruptBlockException;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventKind;
import io.retroscope.event.OrderedRows;
import io.retroscope.event.Value;
import io.retroscope.event.ValueType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntUnaryOperator;
import java.util.function.Predicate;

/** The rows of a sealed block on their way into an event block. Used by one thread. */
final class SealedRows {
  /*
   * The changes of a row come from several sections. Each has a key that consists of its place in
   * the row, its section and its index there, 20 bits or more each. The keys are gathered by row,
   * and the few of each row are sorted, which puts them in order and shows whether all are there.
   */
  private static final int INDEX_BITS = 20;
  private static final int PLACE_SHIFT = 43;
  private static final int LEFT_OUT = -1;

  /** The index of the name of a change that is left out; NO_NAME is another one. */
  private static final int NOT_WANTED = -2;

  private final SealedBlock block;
  private final StoreNames names;
  private final Map<String, Integer> nameIndexes = new HashMap<>();
  private final List<String> nameList = new ArrayList<>();
  private final List<String> texts = new ArrayList<>();
  private final List<Value> nested = new ArrayList<>();
  private final List<Part> parts = new ArrayList<>();
  private final boolean complete;
  private final Predicate<String> wanted;
  private final long[] kinds;
  private final long[] marks;

  /** For each row of the sealed block its index here, or LEFT_OUT. */
  private final int[] rowAt;

  private int rowCount;

  /** The changes of a section, and the indexes of their names. */
  private record Part(Changes changes, IntUnaryOperator name, int firstText, int firstNested) {}

  /**
   * The rows of a block.
   *
   * @param wanted the variables of which the changes are needed; those of a block with marks are
   *     complete
   */
  SealedRows(SealedBlock block, StoreNames names, Predicate<String> wanted)
      throws CorruptBlockException {
    this.block = block;
    this.names = names;
    kinds = block.kinds();
    marks = block.marks();
    rowAt = new int[kinds.length];
    boolean marked = Arrays.stream(marks).anyMatch(mark -> mark != 0);
    complete =
        marked || block.zone().variables().stream().map(names.variables()::name).allMatch(wanted);
    this.wanted = complete ? variable -> true : wanted;
  }

  EventBlock block() throws CorruptBlockException {
    for (Section section : block.changeSections()) {
      addPart(section);
    }
    int[] ends = changeEnds();
    long[] keys = keys(ends);
    OrderedRows rows = new OrderedRows(rowCount, keys.length);
    for (int row = 0; row < rowCount; row++) {
      addChanges(row, keys, ends[row], ends[row + 1], rows);
    }
    addRows(ends, rows);
    return rows.build(names());
  }

  private void addPart(Section section) throws CorruptBlockException {
    boolean ofVariable = section.kind() == Section.Kind.VARIABLE;
    if (ofVariable && !wanted.test(names.variables().name(section.variableId()))) {
      return;
    }
    Changes changes = block.changes(section);
    parts.add(new Part(changes, nameOf(section, changes), texts.size(), nested.size()));
    texts.addAll(changes.texts());
    nested.addAll(changes.nested());
  }

  private IntUnaryOperator nameOf(Section section, Changes changes) {
    return switch (section.kind()) {
      case RARE -> {
        Map<Integer, Integer> known = new HashMap<>();
        yield change -> known.computeIfAbsent(changes.name(change), this::wantedIndex);
      }
      case DETAILS ->
          change ->
              changes.name(change) == 0
                  ? EventBlock.NO_NAME
                  : nameIndex(changes.text(changes.name(change) - 1L));
      default -> {
        int index = nameIndex(names.variables().name(section.variableId()));
        yield change -> index;
      }
    };
  }

  private int wantedIndex(int variableId) {
    String name = names.variables().name(variableId);
    return wanted.test(name) ? nameIndex(name) : NOT_WANTED;
  }

  private int nameIndex(String name) {
    Integer known = nameIndexes.putIfAbsent(name, nameList.size());
    if (known != null) {
      return known;
    }
    nameList.add(name);
    return nameList.size() - 1;
  }

  /** Decides which rows are kept; returns the number of changes up to each of them. */
  private int[] changeEnds() {
    int[] counts = new int[kinds.length];
    for (Part part : parts) {
      for (int i = 0; i < part.changes.size(); i++) {
        counts[part.changes.row(i)] += isKept(part, i) ? 1 : 0;
      }
    }
    int[] ends = new int[kinds.length + 1];
    for (int row = 0; row < kinds.length; row++) {
      rowAt[row] = isLeftOut(kind(row), counts[row]) ? LEFT_OUT : rowCount;
      if (rowAt[row] != LEFT_OUT) {
        ends[rowCount + 1] = ends[rowCount] + counts[row];
        rowCount++;
      }
    }
    return ends;
  }

  private static boolean isKept(Part part, int change) {
    return part.name.applyAsInt(change) != NOT_WANTED;
  }

  private EventKind kind(int row) {
    return EventKind.ofCode((int) kinds[row] & ~RowBuffer.OF_NODE);
  }

  private boolean isLeftOut(EventKind kind, int changeCount) {
    return switch (kind) {
      case START, STOP -> !block.log().isEmpty();
      case STATE_CHANGE -> changeCount == 0 && !complete;
      case LOG_LINE, SEND, RECEIVE, HEARTBEAT -> false;
    };
  }

  private long[] keys(int[] ends) {
    int[] next = Arrays.copyOf(ends, rowCount);
    long[] keys = new long[ends[rowCount]];
    for (int p = 0; p < parts.size(); p++) {
      Part part = parts.get(p);
      for (int i = 0; i < part.changes.size(); i++) {
        int row = rowAt[part.changes.row(i)];
        if (row != LEFT_OUT && isKept(part, i)) {
          long place = part.changes.place(i);
          keys[next[row]++] = place << PLACE_SHIFT | (long) p << INDEX_BITS | i;
        }
      }
    }
    return keys;
  }

  private void addChanges(int row, long[] keys, int from, int to, OrderedRows rows)
      throws CorruptBlockException {
    if (to - from > 1) {
      Arrays.sort(keys, from, to);
    }
    long previous = -1;
    for (int at = from; at < to; at++) {
      long place = keys[at] >>> PLACE_SHIFT;
      if (complete ? place != previous + 1 : place == previous) {
        throw new CorruptBlockException(
            0, "row %d of a sealed block has no change %d".formatted(row, previous + 1));
      }
      previous = place;
      int part = (int) (keys[at] >>> INDEX_BITS) & ((1 << (PLACE_SHIFT - INDEX_BITS)) - 1);
      addChange(at, parts.get(part), (int) keys[at] & ((1 << INDEX_BITS) - 1), rows);
    }
  }

  private static void addChange(int at, Part part, int change, OrderedRows rows) {
    Changes changes = part.changes;
    ValueType type = changes.type(change);
    long bits =
        switch (type) {
          case STRING -> changes.bits(change) + part.firstText;
          case NESTED -> changes.bits(change) + part.firstNested;
          case NULL, BOOLEAN, LONG, DOUBLE -> changes.bits(change);
        };
    rows.change(at, changes.operation(change), part.name.applyAsInt(change), type, bits);
  }

  private void addRows(int[] ends, OrderedRows rows) throws CorruptBlockException {
    long[] stamps = block.stamps();
    int[] runs = block.runIndexes();
    long[] physical = block.physicalMicros(stamps);
    long[] sequences = block.sequences(runs, block.columns(Section.Kind.SEQUENCE, 2));
    for (int from = 0; from < kinds.length; from++) {
      int row = rowAt[from];
      if (row != LEFT_OUT) {
        rows.row(
            row,
            stamps[from],
            physical[from],
            sequences[from],
            kind(from),
            (int) marks[from],
            runs[from],
            (kinds[from] & RowBuffer.OF_NODE) == 0 ? 0 : 1,
            ends[row + 1]);
      }
    }
  }

  /** Whether a row's log has the empty name, so that a scan may have to leave it out. */
  private boolean hasRowsOfNodes() {
    for (int row = 0; row < kinds.length; row++) {
      if (rowAt[row] != LEFT_OUT && (kinds[row] & RowBuffer.OF_NODE) != 0) {
        return true;
      }
    }
    return false;
  }

  private OrderedRows.Names names() {
    List<Run> runs = block.runs();
    return new OrderedRows.Names(
        runs.stream().map(Run::node).toList(),
        runs.stream().map(Run::incarnation).toList(),
        hasRowsOfNodes() ? List.of(block.log(), "") : List.of(block.log()),
        nameList,
        texts,
        nested);
  }
}
