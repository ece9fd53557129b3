// SPDX-License-Identifier: Apache-2.0
package io.retroscope.blocks.read;

import io.retroscope.blocks.Run;
import io.retroscope.blocks.StoreNames;
import io.retroscope.event.CorruptBlockException;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventKind;
import io.retroscope.event.OrderedRows;
import io.retroscope.event.Value;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The rows of a sealed block on their way into an event block. Used by one thread. */
final class SealedRows {
  private static final int STATE_CHANGE = EventKind.STATE_CHANGE.code();
  private static final int START = EventKind.START.code();
  private static final int STOP = EventKind.STOP.code();

  private final SealedBlock block;
  private final StoreNames names;
  private final Map<String, Integer> nameIndexes = new HashMap<>();
  private final List<String> nameList = new ArrayList<>();
  private final List<String> texts = new ArrayList<>();
  private final List<Value> nested = new ArrayList<>();
  private final List<VariableSets> sets = new ArrayList<>();
  private final List<NamedChanges> others = new ArrayList<>();
  private final boolean complete;
  private final Predicate<String> wanted;

  /** Whether log lines have an empty message and no fields. */
  private boolean isWithoutContents;

  /** The codes of the rows' kinds; null if all are state changes of the block's log. */
  private final byte @Nullable [] kinds;

  /** The marks of the rows; null if there are none. */
  private final byte @Nullable [] marks;

  /**
   * The rows of a block.
   *
   * @param wanted the variables of which the changes are needed; those of a block with marks are
   *     complete
   */
  SealedRows(SealedBlock block, Predicate<String> wanted) throws CorruptBlockException {
    this.block = block;
    this.names = block.names();
    kinds =
        block.isAll(Section.Kind.KIND, EventKind.STATE_CHANGE.code()) ? null : bytes(block.kinds());
    marks = block.isAll(Section.Kind.MARKS, 0) ? null : bytes(block.marks());
    complete =
        marks != null
            || block.zone().variables().stream().map(names.variables()::name).allMatch(wanted);
    this.wanted = complete ? variable -> true : wanted;
  }

  /** The same rows, but log lines have an empty message and no fields. */
  SealedRows withoutContents() {
    isWithoutContents = true;
    return this;
  }

  EventBlock block() throws CorruptBlockException {
    EventBlock columns = columns();
    return columns == null ? byRow() : columns;
  }

  /** The block if each variable can keep its column; otherwise null. To be called once. */
  @Nullable EventBlock columns() throws CorruptBlockException {
    NamedChanges lines = null;
    List<Section> sections = block.changeSections();
    boolean isOnly = sections.stream().filter(this::isWanted).count() == 1;
    for (Section section : sections) {
      switch (section.kind()) {
        case VARIABLE -> {
          if (isWanted(section)) {
            addVariable(section, isOnly);
          }
        }
        case RARE -> add(block.changes(section), this::rareNames);
        case DETAILS -> {
          add(isWithoutContents ? emptyLines() : block.changes(section), this::fieldNames);
          lines = others.get(others.size() - 1);
        }
        case STAMP, NODE, PHYSICAL, SEQUENCE, KIND, MARKS ->
            throw new AssertionError("no changes: " + section);
      }
    }
    boolean isOther = others.size() > (lines == null ? 0 : 1);
    SectionColumns columns = new SectionColumns(block.rowCount(), sets, complete);
    return !isOther && marks == null && columns.join(kinds, lines)
        ? columns.block(block, names(false))
        : null;
  }

  private Changes emptyLines() {
    int[] rows = new int[block.rowCount()];
    int size = 0;
    for (int row = 0; row < rows.length; row++) {
      rows[size] = row;
      size += kind(row) == STATE_CHANGE ? 0 : 1;
    }
    return Changes.ofEmptyTexts(Arrays.copyOf(rows, size));
  }

  private EventBlock byRow() throws CorruptBlockException {
    sets.sort(Comparator.comparingInt(section -> section.place));
    int[] counts = new int[block.rowCount()];
    sets.forEach(section -> section.count(counts));
    others.forEach(section -> section.count(counts));
    KeptRows kept = kept(counts);
    RowChanges changes = new RowChanges(counts);
    sets.forEach(changes::add);
    others.forEach(changes::add);
    changes.order(complete);
    return block(kept, kept.starts(changes.starts()), changes.columns());
  }

  private EventBlock block(KeptRows kept, int[] changeStarts, OrderedRows.Changes changes)
      throws CorruptBlockException {
    long[] stamps = block.stamps();
    int[] runs = block.runIndexes();
    boolean hasRowsWithoutLog = kinds != null && kept.anyMatch(this::isWithoutLog, kinds.length);
    OrderedRows.Heads heads = new OrderedRows.Heads(kept.of(stamps), kept.of(runs), changeStarts);
    return OrderedRows.of(
        withKinds(heads, kept, hasRowsWithoutLog),
        changes,
        kept.physicalMicros(block, stamps),
        kept.sequences(block, runs),
        names(hasRowsWithoutLog));
  }

  private boolean isWanted(Section section) {
    return section.kind() == Section.Kind.VARIABLE
        && wanted.test(names.variables().name(section.variableId()));
  }

  private void addVariable(Section section, boolean isOnly) throws CorruptBlockException {
    String variable = names.variables().name(section.variableId());
    int name = nameIndex(variable);
    PackedChanges longs = block.longs(section);
    VariableSets own =
        longs == null
            ? null
            : longs.sets(name, texts.size(), block.rowCount(), isOnly, block.allocation());
    if (longs == null || own == null) {
      add(block.changes(section), changes -> filled(changes.size(), name));
      return;
    }
    texts.addAll(longs.texts());
    sets.add(own);
  }

  private static int[] filled(int size, int name) {
    int[] nameOf = new int[size];
    Arrays.fill(nameOf, name);
    return nameOf;
  }

  /** Finds the indexes of the names of changes. */
  private interface Naming {
    int[] of(Changes changes) throws CorruptBlockException;
  }

  private void add(Changes changes, Naming naming) throws CorruptBlockException {
    others.add(new NamedChanges(changes, naming.of(changes), texts.size(), nested.size()));
    texts.addAll(changes.texts());
    nested.addAll(changes.nested());
  }

  private int[] rareNames(Changes changes) {
    Map<Integer, Integer> known = new HashMap<>();
    int[] nameOf = new int[changes.size()];
    for (int i = 0; i < nameOf.length; i++) {
      nameOf[i] = known.computeIfAbsent(changes.name(i), this::wantedIndex);
    }
    return nameOf;
  }

  private int wantedIndex(int variableId) {
    String name = names.variables().name(variableId);
    return wanted.test(name) ? nameIndex(name) : NamedChanges.NOT_WANTED;
  }

  /** The names of the fields of lines; what belongs to rows that are left out is not wanted. */
  private int[] fieldNames(Changes changes) throws CorruptBlockException {
    int[] nameOf = new int[changes.size()];
    for (int i = 0; i < nameOf.length; i++) {
      int row = changes.row(i);
      int text = changes.name(i);
      if (kind(row) == STATE_CHANGE) {
        throw new CorruptBlockException(0, "a state change has a text or field in row " + row);
      }
      if (isLeftOut(row)) {
        nameOf[i] = NamedChanges.NOT_WANTED;
      } else {
        nameOf[i] = text == 0 ? EventBlock.NO_NAME : nameIndex(changes.text(text - 1L));
      }
    }
    return nameOf;
  }

  private int nameIndex(String name) {
    Integer known = nameIndexes.putIfAbsent(name, nameList.size());
    if (known != null) {
      return known;
    }
    nameList.add(name);
    return nameList.size() - 1;
  }

  /** Decides which rows are kept, of which each has a number of changes. */
  private KeptRows kept(int[] counts) throws CorruptBlockException {
    if (complete && kinds == null) {
      return new KeptRows(null);
    }
    int[] rows = new int[counts.length];
    int size = 0;
    for (int row = 0; row < counts.length; row++) {
      boolean isEmpty = counts[row] == 0 && !complete && kind(row) == STATE_CHANGE;
      boolean isLeftOut = isEmpty || isLeftOut(row);
      if (isLeftOut && counts[row] > 0) {
        throw new CorruptBlockException(0, "a start or stop changes a variable in row " + row);
      }
      rows[size] = row;
      size += isLeftOut ? 0 : 1;
    }
    return new KeptRows(size == rows.length ? null : Arrays.copyOf(rows, size));
  }

  /** The code of a row's kind. */
  private int kind(int row) {
    return kinds == null ? STATE_CHANGE : kinds[row] & ~Section.OF_NODE;
  }

  /** Whether a row is the start or stop of a node, and the block has a log. */
  private boolean isLeftOut(int row) {
    int kind = kind(row);
    return (kind == START || kind == STOP) && !block.log().isEmpty();
  }

  private OrderedRows.Heads withKinds(
      OrderedRows.Heads heads, KeptRows kept, boolean hasRowsWithoutLog) {
    if (kinds == null && marks == null) {
      return heads;
    }
    byte[] codes = new byte[block.rowCount()];
    for (int row = 0; row < codes.length; row++) {
      codes[row] = (byte) kind(row);
    }
    int[] logs = hasRowsWithoutLog ? new int[codes.length] : null;
    for (int row = 0; logs != null && row < logs.length; row++) {
      logs[row] = isWithoutLog(row) ? 1 : 0;
    }
    return heads.are(
        kept.of(codes), marks == null ? null : kept.of(marks), logs == null ? null : kept.of(logs));
  }

  private static byte[] bytes(long[] codes) {
    byte[] bytes = new byte[codes.length];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) codes[i];
    }
    return bytes;
  }

  private boolean isWithoutLog(int row) {
    return kinds != null && (kinds[row] & Section.OF_NODE) != 0;
  }

  private OrderedRows.Names names(boolean hasRowsWithoutLog) {
    List<Run> runs = block.runs();
    return new OrderedRows.Names(
        runs.stream().map(Run::node).toList(),
        runs.stream().map(Run::incarnation).toList(),
        // A scan may have to leave out the rows of the empty name.
        hasRowsWithoutLog ? List.of(block.log(), "") : List.of(block.log()),
        nameList,
        texts,
        nested);
  }
}
