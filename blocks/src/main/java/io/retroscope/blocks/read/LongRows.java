// SPDX-License-Identifier: Apache-2.0
package io.retroscope.blocks.read;

import io.retroscope.blocks.Run;
import io.retroscope.blocks.StoreNames;
import io.retroscope.event.CorruptBlockException;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventKind;
import io.retroscope.event.OrderedRows;
import io.retroscope.event.ValueType;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The rows of a sealed block as columns if all of them set variables, and all values of a wanted
 * variable have one type and are no sets or structs, as most of history does. Used by one thread.
 */
final class LongRows {
  /*
   * The columns are unpacked in bulk into the arrays that a walk reads, and all other columns of the
   * rows are constant. The physical readings and the sequence numbers are checked now, so that damage
   * concerns the whole block, and unpacked when a row is made; the first readings one by one.
   */
  private final SealedBlock block;
  private final StoreNames names;
  private final Predicate<String> wanted;
  private final List<String> nameList = new ArrayList<>();
  private final List<LongChanges> changes = new ArrayList<>();
  private final List<String> texts = new ArrayList<>();

  /** For each variable, the index of its first text; 0 if its values are no texts. */
  private final List<Integer> firstTexts = new ArrayList<>();

  LongRows(SealedBlock block, StoreNames names, Predicate<String> wanted) {
    this.block = block;
    this.names = names;
    this.wanted = wanted;
  }

  /** The rows as {@link SealedRows} makes them; null if there is anything else among them. */
  @Nullable EventBlock block() throws CorruptBlockException {
    if (!block.isAll(Section.Kind.KIND, EventKind.STATE_CHANGE.code())
        || !block.isAll(Section.Kind.MARKS, 0)
        || !findChanges()) {
      return null;
    }
    if (changes.size() > 1) {
      return ofSeveralVariables();
    }
    long[] numbers = changes.get(0).decoded(block.allocation());
    if (numbers == null) {
      return null;
    }
    return changes.get(0).rows() == null ? block(numbers, null) : ofSomeRows(numbers);
  }

  /** Finds the sections of the wanted variables; returns false if one has other values. */
  private boolean findChanges() throws CorruptBlockException {
    for (Section section : block.changeSections()) {
      String name = names.variables().name(section.variableId());
      if (section.kind() == Section.Kind.VARIABLE && wanted.test(name)) {
        LongChanges longs = block.longs(section);
        if (longs == null) {
          return false;
        }
        nameList.add(name);
        changes.add(longs);
        firstTexts.add(longs.type() == ValueType.STRING ? texts.size() : 0);
        texts.addAll(longs.texts());
      }
    }
    return !changes.isEmpty() && !wantsRare();
  }

  private boolean wantsRare() {
    long all =
        block.zone().variables().stream().map(names.variables()::name).filter(wanted).count();
    return all != changes.size();
  }

  /** The rows of one variable that is not in all rows. */
  private @Nullable EventBlock ofSomeRows(long[] numbers) throws CorruptBlockException {
    int[] kept = changes.get(0).decodedRows(block.rowCount(), new int[numbers.length]);
    boolean isComplete = block.zone().variables().size() == 1 && numbers.length < block.rowCount();
    return kept == null || isComplete ? null : block(numbers, kept);
  }

  /** The rows of several variables. */
  private @Nullable EventBlock ofSeveralVariables() throws CorruptBlockException {
    List<VariableSets> sections = new ArrayList<>();
    for (int i = 0; i < changes.size(); i++) {
      VariableSets sets =
          changes.get(i).sets(i, firstTexts.get(i), block.rowCount(), block.allocation());
      if (sets == null) {
        return null;
      }
      sections.add(sets);
    }
    boolean isComplete = sections.size() == block.zone().variables().size();
    SectionColumns columns = new SectionColumns(block.rowCount(), sections, isComplete);
    return columns.join(null, null) ? columns.block(block, names()) : null;
  }

  /**
   * The block of rows of one variable.
   *
   * @param numbers of the kept rows
   * @param rows the rows that are kept; null if all are
   */
  private EventBlock block(long[] numbers, int @Nullable [] rows) throws CorruptBlockException {
    KeptRows kept = new KeptRows(rows);
    long[] stamps = block.stamps();
    int[] runs = block.runIndexes();
    return OrderedRows.ofSingleChanges(
        kept.of(stamps),
        kept.of(runs),
        null,
        changes.stream().map(LongChanges::type).toList(),
        numbers,
        kept.physicalMicros(block, stamps),
        kept.sequences(block, runs),
        names());
  }

  private OrderedRows.Names names() {
    List<Run> runs = block.runs();
    return new OrderedRows.Names(
        runs.stream().map(Run::node).toList(),
        runs.stream().map(Run::incarnation).toList(),
        List.of(block.log()),
        nameList,
        texts,
        List.of());
  }
}
