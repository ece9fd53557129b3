package io.retroscope.blocks;

import io.retroscope.event.CorruptBlockException;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventKind;
import io.retroscope.event.OrderedRows;
import io.retroscope.event.ValueType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The rows of a sealed block as columns if each of them sets one of the wanted variables, or each
 * sets all of them, and all values of a variable have one type and are no sets or structs, as most
 * of history does. Used by one thread.
 */
final class LongRows {
  /*
   * The columns are unpacked in bulk into the arrays that a walk reads, and all other columns of the
   * rows are constant. The physical readings and the sequence numbers are checked now, so that damage
   * concerns the whole block, and unpacked when a row is made; the first readings one by one.
   */
  private static final int NONE = -1;

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
      boolean areInAllRows = changes.stream().allMatch(change -> change.rows() == null);
      return areInAllRows ? ofRowsAlike() : ofSeveralSections();
    }
    long[] numbers = changes.get(0).decoded();
    if (numbers == null) {
      return null;
    }
    return changes.get(0).rows() == null ? block(null, numbers, null) : ofSomeRows(numbers);
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
    int[] kept = changes.get(0).decodedRows(block.rowCount());
    boolean isComplete = block.zone().variables().size() == 1 && numbers.length < block.rowCount();
    return kept == null || isComplete ? null : block(null, numbers, kept);
  }

  /** The rows that each set all of several variables, in the same order. */
  private @Nullable EventBlock ofRowsAlike() throws CorruptBlockException {
    Integer[] order = new Integer[changes.size()];
    Arrays.setAll(order, index -> index);
    Arrays.sort(order, Comparator.comparingLong(index -> changes.get(index).places().at(0)));
    boolean isComplete = order.length == block.zone().variables().size();
    long[] bits = new long[order.length * block.rowCount()];
    long place = NONE;
    for (int i = 0; i < order.length; i++) {
      LongChanges own = changes.get(order[i]);
      boolean isNext = isComplete ? own.places().at(0) == i : own.places().at(0) > place;
      place = own.places().at(0);
      if (!isNext
          || !own.areInOnePlace()
          || !own.decode(bits, i, order.length, firstTexts.get(order[i]))) {
        return null;
      }
    }
    long[] stamps = block.stamps();
    int[] runs = block.runIndexes();
    KeptRows all = new KeptRows(null);
    return OrderedRows.ofRowsAlike(
        stamps,
        runs,
        Arrays.stream(order).map(index -> changes.get(index).type()).toList(),
        bits,
        all.physicalMicros(block, stamps),
        all.sequences(block, runs),
        names(Arrays.stream(order).map(nameList::get).toList()));
  }

  /** The rows of several variables, of which each sets one. */
  private @Nullable EventBlock ofSeveralSections() throws CorruptBlockException {
    if (changes.stream().mapToLong(LongChanges::size).sum() > block.rowCount()) {
      return null;
    }
    int[] variables = new int[block.rowCount()];
    Arrays.fill(variables, NONE);
    long[] numbers = new long[variables.length];
    int count = 0;
    for (int i = 0; i < changes.size(); i++) {
      if (!place(i, variables, numbers)) {
        return null;
      }
      count += changes.get(i).size();
    }
    if (count == variables.length) {
      return block(variables, numbers, null);
    }
    boolean isComplete = changes.size() == block.zone().variables().size();
    if (isComplete) {
      return null;
    }
    int[] rows = keptRows(variables, count);
    KeptRows kept = new KeptRows(rows);
    return block(kept.of(variables), kept.of(numbers), rows);
  }

  /** Puts the numbers of a variable into their rows; returns false if a row has one already. */
  private boolean place(int index, int[] variables, long[] numbers) throws CorruptBlockException {
    LongChanges own = changes.get(index);
    long[] values = own.decoded();
    int[] rows = own.decodedRows(variables.length);
    if (values == null || rows == null) {
      return false;
    }
    return place(index, firstTexts.get(index), rows, values, variables, numbers);
  }

  private static boolean place(
      int index, int firstText, int[] rows, long[] values, int[] variables, long[] numbers) {
    int wrong = 0; // negative after a row that has a variable already
    for (int i = 0; i < rows.length; i++) {
      int row = rows[i];
      wrong |= ~variables[row];
      variables[row] = index;
      numbers[row] = values[i] + firstText;
    }
    return wrong >= 0;
  }

  private static int[] keptRows(int[] variables, int count) {
    int[] kept = new int[count];
    int at = 0;
    for (int row = 0; row < variables.length; row++) {
      if (variables[row] != NONE) {
        kept[at++] = row;
      }
    }
    return kept;
  }

  /**
   * The block of rows.
   *
   * @param variables the index of each kept row's variable; null if there is only one
   * @param numbers of the kept rows
   * @param rows the rows that are kept; null if all are
   */
  private EventBlock block(int @Nullable [] variables, long[] numbers, int @Nullable [] rows)
      throws CorruptBlockException {
    KeptRows kept = new KeptRows(rows);
    long[] stamps = block.stamps();
    int[] runs = block.runIndexes();
    return OrderedRows.ofSingleChanges(
        kept.of(stamps),
        kept.of(runs),
        variables,
        changes.stream().map(LongChanges::type).toList(),
        numbers,
        kept.physicalMicros(block, stamps),
        kept.sequences(block, runs),
        names(nameList));
  }

  private OrderedRows.Names names(List<String> variables) {
    List<Run> runs = block.runs();
    return new OrderedRows.Names(
        runs.stream().map(Run::node).toList(),
        runs.stream().map(Run::incarnation).toList(),
        List.of(block.log()),
        variables,
        texts,
        List.of());
  }
}
