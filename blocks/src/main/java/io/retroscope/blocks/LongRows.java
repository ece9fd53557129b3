package io.retroscope.blocks;

import io.retroscope.event.CorruptBlockException;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventKind;
import io.retroscope.event.OrderedRows;
import io.retroscope.event.PackedColumn;
import io.retroscope.event.ValueType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The rows of a sealed block as columns if each of them sets one of the wanted variables, and all
 * values of a variable have one type and are no sets or structs, as most of history does. Used by
 * one thread.
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
      return ofSeveralSections();
    }
    long[] numbers = changes.get(0).decoded();
    if (numbers == null) {
      return null;
    }
    PackedColumn rows = changes.get(0).rows();
    return rows == null ? block(null, numbers, null) : ofSomeRows(rows, numbers);
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
  private @Nullable EventBlock ofSomeRows(PackedColumn rows, long[] numbers)
      throws CorruptBlockException {
    int[] kept = new int[numbers.length];
    boolean valid = rows.decode(kept, block.rowCount());
    for (int i = 1; i < kept.length; i++) {
      valid &= kept[i - 1] < kept[i];
    }
    boolean isComplete = block.zone().variables().size() == 1 && kept.length < block.rowCount();
    return valid && !isComplete ? block(null, numbers, kept) : null;
  }

  /** The rows of several variables. */
  private @Nullable EventBlock ofSeveralSections() throws CorruptBlockException {
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
    int[] kept = isComplete ? null : keptRows(variables, count);
    return kept == null ? null : block(gathered(variables, kept), gathered(numbers, kept), kept);
  }

  /** Puts the numbers of a variable into their rows; returns false if a row has one already. */
  private boolean place(int index, int[] variables, long[] numbers) throws CorruptBlockException {
    LongChanges own = changes.get(index);
    long[] values = own.decoded();
    int[] rows = new int[own.size()];
    if (values == null) {
      return false;
    }
    int firstText = firstTexts.get(index);
    boolean valid = true;
    if (own.rows() == null) {
      Arrays.setAll(rows, row -> row);
    } else {
      valid = own.rows().decode(rows, variables.length);
    }
    return valid && place(index, firstText, rows, values, variables, numbers);
  }

  private static boolean place(
      int index, int firstText, int[] rows, long[] values, int[] variables, long[] numbers) {
    int previous = NONE;
    int wrong = 0; // negative after a row that does not ascend, or has a variable already
    for (int i = 0; i < rows.length; i++) {
      int row = rows[i];
      wrong |= (row - previous - 1) | ~variables[row];
      variables[row] = index;
      numbers[row] = values[i] + firstText;
      previous = row;
    }
    return wrong >= 0;
  }

  private static int[] keptRows(int[] variables, int count) {
    int[] kept = new int[count];
    int at = 0;
    for (int row = 0; at < count; row++) {
      kept[at] = row;
      at += variables[row] == NONE ? 0 : 1;
    }
    return kept;
  }

  /**
   * The block of rows.
   *
   * @param variables the index of each kept row's variable; null if there is only one
   * @param numbers of the kept rows
   * @param kept the rows that are kept; null if all are
   */
  private EventBlock block(int @Nullable [] variables, long[] numbers, int @Nullable [] kept)
      throws CorruptBlockException {
    long[] stamps = block.stamps();
    int[] runs = block.runIndexes();
    PackedColumn[] physical = block.columns(Section.Kind.PHYSICAL, 2);
    PackedColumn[] sequences = block.columns(Section.Kind.SEQUENCE, 2);
    return OrderedRows.ofSingleChanges(
        gathered(stamps, kept),
        gathered(runs, kept),
        variables,
        changes.stream().map(LongChanges::type).toList(),
        numbers,
        new LateColumn(
            row -> PhysicalReadings.at(kept == null ? row : kept[row], stamps, physical),
            () -> gathered(PhysicalReadings.of(stamps, physical), kept)),
        new LateColumn(() -> gathered(block.sequences(runs, sequences), kept)),
        names());
  }

  private static long[] gathered(long[] from, int @Nullable [] rows) {
    if (rows == null) {
      return from;
    }
    long[] gathered = new long[rows.length];
    for (int i = 0; i < rows.length; i++) {
      gathered[i] = from[rows[i]];
    }
    return gathered;
  }

  private static int[] gathered(int[] from, int @Nullable [] rows) {
    if (rows == null) {
      return from;
    }
    int[] gathered = new int[rows.length];
    for (int i = 0; i < rows.length; i++) {
      gathered[i] = from[rows[i]];
    }
    return gathered;
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
