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

/** The rows of a sealed block on their way into an event block. Used by one thread. */
final class SealedRows {
  private static final int LEFT_OUT = -1;

  private final SealedBlock block;
  private final StoreNames names;
  private final Map<String, Integer> nameIndexes = new HashMap<>();
  private final List<String> nameList = new ArrayList<>();
  private final List<String> texts = new ArrayList<>();
  private final List<Value> nested = new ArrayList<>();

  SealedRows(SealedBlock block, StoreNames names) {
    this.block = block;
    this.names = names;
  }

  EventBlock block() throws CorruptBlockException {
    long[] kinds = block.kinds();
    int[] rowAt = new int[kinds.length];
    int rowCount = 0;
    for (int row = 0; row < kinds.length; row++) {
      boolean elsewhere = isLifecycle(kinds[row]) && !block.log().isEmpty();
      rowAt[row] = elsewhere ? LEFT_OUT : rowCount++;
    }
    List<Section> sections = block.changeSections();
    List<Changes> parts = new ArrayList<>();
    int[] ends = new int[rowCount + 1];
    for (Section section : sections) {
      Changes part = block.changes(section);
      parts.add(part);
      for (int i = 0; i < part.size(); i++) {
        if (rowAt[part.row(i)] != LEFT_OUT) {
          ends[rowAt[part.row(i)] + 1]++;
        }
      }
    }
    for (int row = 0; row < rowCount; row++) {
      ends[row + 1] += ends[row];
    }
    OrderedRows rows = new OrderedRows(rowCount, ends[rowCount]);
    boolean[] filled = new boolean[ends[rowCount]];
    for (int i = 0; i < parts.size(); i++) {
      addChanges(parts.get(i), nameOf(sections.get(i), parts.get(i)), rowAt, ends, filled, rows);
    }
    addRows(kinds, rowAt, ends, rows);
    return rows.build(names());
  }

  private static boolean isLifecycle(long kind) {
    EventKind of = EventKind.ofCode((int) kind & ~RowBuffer.OF_NODE);
    return of == EventKind.START || of == EventKind.STOP;
  }

  private IntUnaryOperator nameOf(Section section, Changes part) {
    return switch (section.kind()) {
      case RARE -> {
        int[] known = new int[names.variables().size()];
        Arrays.fill(known, LEFT_OUT);
        yield change -> {
          int id = part.name(change);
          if (known[id] == LEFT_OUT) {
            known[id] = nameIndex(names.variables().name(id));
          }
          return known[id];
        };
      }
      case DETAILS ->
          change ->
              part.name(change) == 0
                  ? EventBlock.NO_NAME
                  : nameIndex(part.text(part.name(change) - 1L));
      default -> {
        int index = nameIndex(names.variables().name(section.variableId()));
        yield change -> index;
      }
    };
  }

  private int nameIndex(String name) {
    Integer known = nameIndexes.putIfAbsent(name, nameList.size());
    if (known != null) {
      return known;
    }
    nameList.add(name);
    return nameList.size() - 1;
  }

  /** Each change has a place of its own among those of its row. */
  private void addChanges(
      Changes part,
      IntUnaryOperator name,
      int[] rowAt,
      int[] ends,
      boolean[] filled,
      OrderedRows rows)
      throws CorruptBlockException {
    int firstText = texts.size();
    int firstNested = nested.size();
    texts.addAll(part.texts());
    nested.addAll(part.nested());
    for (int i = 0; i < part.size(); i++) {
      int row = rowAt[part.row(i)];
      if (row == LEFT_OUT) {
        continue;
      }
      int at = ends[row] + part.place(i);
      if (at >= ends[row + 1] || filled[at]) {
        throw new CorruptBlockException(
            0, "row %d of a sealed block has no place %d".formatted(row, part.place(i)));
      }
      filled[at] = true;
      ValueType type = part.type(i);
      long bits =
          switch (type) {
            case STRING -> part.bits(i) + firstText;
            case NESTED -> part.bits(i) + firstNested;
            case NULL, BOOLEAN, LONG, DOUBLE -> part.bits(i);
          };
      rows.change(at, part.operation(i), name.applyAsInt(i), type, bits);
    }
  }

  private void addRows(long[] kinds, int[] rowAt, int[] ends, OrderedRows rows)
      throws CorruptBlockException {
    long[] stamps = block.stamps();
    long[] runs = block.runIndexes();
    long[] physical = block.physicalMicros(stamps);
    long[] sequences = block.sequences(runs);
    long[] marks = block.marks();
    for (int from = 0; from < kinds.length; from++) {
      int row = rowAt[from];
      if (row != LEFT_OUT) {
        int kind = (int) kinds[from];
        rows.row(
            row,
            stamps[from],
            physical[from],
            sequences[from],
            EventKind.ofCode(kind & ~RowBuffer.OF_NODE),
            (int) marks[from],
            (int) runs[from],
            (kind & RowBuffer.OF_NODE) == 0 ? 0 : 1,
            ends[row + 1]);
      }
    }
  }

  private OrderedRows.Names names() {
    List<Run> runs = block.runs();
    return new OrderedRows.Names(
        runs.stream().map(Run::node).toList(),
        runs.stream().map(Run::incarnation).toList(),
        List.of(block.log(), ""),
        nameList,
        texts,
        nested);
  }
}
