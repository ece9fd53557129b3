// SPDX-License-Identifier: Apache-2.0
package io.retroscope.event;

import java.util.Arrays;
import java.util.List;
import java.util.function.IntToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Blocks that a server creates from columns of rows whose order is known already, of any number of
 * runs. All arrays belong to the block from now on. Thread-safe.
 */
public final class OrderedRows {
  private static final int STATE_CHANGE = EventKind.STATE_CHANGE.code();

  private OrderedRows() {}

  /** What rows have but their changes. Used by one thread. */
  public static final class Heads {
    final long[] hlc;
    final int[] runs;
    final int[] changeStarts;
    byte @Nullable [] kinds;
    byte @Nullable [] marks;
    int @Nullable [] logs;

    /**
     * Unmarked state changes of the first log.
     *
     * @param hlc packed
     * @param runs the indexes of the rows' nodes and incarnations
     * @param changeStarts the index of each row's first change, and after these the number of all
     */
    public Heads(long[] hlc, int[] runs, int[] changeStarts) {
      this.hlc = hlc;
      this.runs = runs;
      this.changeStarts = changeStarts;
    }

    /**
     * Sets what rows are.
     *
     * @param kindCodes {@link EventKind#code}
     * @param markBits sums of {@link EventMark#bit}; null if there are none
     * @param logIndexes the indexes of the rows' logs; null if all have the first
     */
    public Heads are(byte[] kindCodes, byte @Nullable [] markBits, int @Nullable [] logIndexes) {
      kinds = kindCodes;
      marks = markBits;
      logs = logIndexes;
      return this;
    }

    private int size() {
      return hlc.length;
    }
  }

  /** The changes of rows, one row after the other. Used by one thread. */
  public static final class Changes {
    final byte[] operations;
    final int[] names;
    final byte[] types;
    final long[] bits;

    /**
     * Changes that all set the first variable to NULL.
     *
     * @param count 0 or more
     */
    public Changes(int count) {
      this(new byte[count], new int[count], new byte[count], new long[count]);
    }

    Changes(byte[] operations, int[] names, byte[] types, long[] bits) {
      this.operations = operations;
      this.names = names;
      this.types = types;
      this.bits = bits;
    }

    /** The codes of the operations. */
    public byte[] operations() {
      return operations;
    }

    /** The indexes of the variables or fields, or {@link EventBlock#NO_NAME}. */
    public int[] names() {
      return names;
    }

    /** The codes of the values' types. */
    public byte[] types() {
      return types;
    }

    /** The values, as described in {@link ValueType}. */
    public long[] bits() {
      return bits;
    }

    /** The names of those that have one. */
    int[] namesGiven() {
      return Arrays.stream(names).filter(name -> name != EventBlock.NO_NAME).toArray();
    }

    /** Copies others into a place. */
    void put(Changes from, int first, int count, int at) {
      System.arraycopy(from.operations, first, operations, at, count);
      System.arraycopy(from.names, first, names, at, count);
      System.arraycopy(from.types, first, types, at, count);
      System.arraycopy(from.bits, first, bits, at, count);
    }
  }

  /** The names to which the columns refer by index; a run is a node and its incarnation. */
  public record Names(
      List<String> nodes,
      List<String> incarnations,
      List<String> logs,
      List<String> names,
      List<String> texts,
      List<Value> nested) {}

  /**
   * Unmarked state changes of which each sets one variable. All arrays have an entry for each row,
   * and may be longer.
   *
   * @param size the number of rows
   * @param hlc packed, ascending
   * @param runs the indexes of the rows' nodes and incarnations
   * @param variables the indexes of the rows' variables; null if there is only one
   * @param bits of the values, as described in {@link ValueType}
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  public record Writes(int size, long[] hlc, int[] runs, int @Nullable [] variables, long[] bits) {}

  /**
   * A block of which each row is such a change. The arrays must not be changed while it is read.
   *
   * @param types for each variable, the type of all its values
   * @param physicalMicros finds the {@link EventBlock#physicalMicros} of a row whenever it is
   *     needed, in any thread
   * @param sequences finds the {@link EventBlock#sequence} likewise
   * @param names one log
   * @throws IllegalArgumentException if there are more than {@link EventBlock#MAX_EVENTS} rows, or
   *     fewer entries
   */
  public static EventBlock ofSingleChanges(
      Writes writes,
      List<ValueType> types,
      IntToLongFunction physicalMicros,
      IntToLongFunction sequences,
      Names names) {
    int size = writes.size;
    int[] variables = writes.variables;
    int entries = Math.min(writes.hlc.length, Math.min(writes.runs.length, writes.bits.length));
    if (size > EventBlock.MAX_EVENTS || size > entries) {
      throw new IllegalArgumentException("%d rows, %d entries".formatted(size, entries));
    }
    Dictionaries dictionaries = dictionaries(names);
    EventBlock block =
        new EventBlock(
            BlockHeader.MADE_BY_SERVER,
            names.incarnations(),
            dictionaries,
            new BlockColumns(
                writes.hlc,
                writes.runs,
                variables,
                types(size, variables, types),
                writes.bits,
                physicalMicros,
                sequences),
            null,
            size,
            size);
    if (variables == null) {
      SetColumn only = new SetColumn(0, types.get(0), null, writes.bits, size);
      block.keep(new ChangesByVariable(size, List.of(only), null));
    }
    return block;
  }

  /**
   * A block of unmarked rows of one log, each of which has a change.
   *
   * @param hlc packed, ascending
   * @param runs the indexes of the rows' nodes and incarnations
   * @param physicalMicros as in {@link #ofSingleChanges}
   * @param sequences likewise
   * @param names one log
   * @throws IllegalArgumentException if there are too many rows or changes
   * @throws CorruptBlockException if a log line or message does not have the changes of its kind
   */
  public static EventBlock ofVariables(
      long[] hlc,
      int[] runs,
      ChangesByVariable changes,
      IntToLongFunction physicalMicros,
      IntToLongFunction sequences,
      Names names)
      throws CorruptBlockException {
    int size = hlc.length;
    if (size > EventBlock.MAX_EVENTS || size != runs.length) {
      throw new IllegalArgumentException("columns of %d and %d rows".formatted(size, runs.length));
    }
    Dictionaries dictionaries = dictionaries(names);
    if (!changes.linesFit(dictionaries)) {
      throw new CorruptBlockException(0, "a log line or message does not have the changes of one");
    }
    Heads heads = new Heads(hlc, runs, new int[0]);
    byte[] kinds = changes.kinds();
    return new EventBlock(
        BlockHeader.MADE_BY_SERVER,
        names.incarnations(),
        dictionaries,
        new BlockColumns(
            kinds == null ? heads : heads.are(kinds, null, null),
            new Changes(0),
            physicalMicros,
            sequences),
        changes,
        size,
        changes.changeCount());
  }

  private static Dictionaries dictionaries(Names names) {
    return new Dictionaries(
        names.nodes(), names.logs(), names.names(), names.texts(), names.nested());
  }

  /** The codes of the rows' types; null if all are LONGs. */
  private static byte @Nullable [] types(
      int size, int @Nullable [] variables, List<ValueType> types) {
    if (types.stream().allMatch(type -> type == ValueType.LONG)) {
      return null;
    }
    byte[] ofVariables = new byte[types.size()];
    for (int i = 0; i < ofVariables.length; i++) {
      ofVariables[i] = types.get(i).code();
    }
    byte[] codes = new byte[size];
    for (int row = 0; row < size; row++) {
      codes[row] = ofVariables[variables == null ? 0 : variables[row]];
    }
    return codes;
  }

  /**
   * A block of rows, whose stamps ascend. The changes of state changes have names, and the operands
   * that they need.
   *
   * @param physicalMicros finds the {@link EventBlock#physicalMicros} of a row whenever it is
   *     needed, in any thread
   * @param sequences finds the {@link EventBlock#sequence} likewise
   * @throws CorruptBlockException if a row does not have the changes of its kind
   */
  public static EventBlock of(
      Heads rows,
      Changes changes,
      IntToLongFunction physicalMicros,
      IntToLongFunction sequences,
      Names names)
      throws CorruptBlockException {
    Dictionaries dictionaries = dictionaries(names);
    BlockColumns columns = new BlockColumns(rows, changes, physicalMicros, sequences);
    for (int row = 0; row < rows.size(); row++) {
      boolean fits =
          columns.kind[row] == STATE_CHANGE
              ? columns.changeStart[row] < columns.changeStart[row + 1]
              : BodyLayout.fits(columns, dictionaries, row);
      if (!fits) {
        throw new CorruptBlockException(
            0,
            "row %d does not have the changes of a %s"
                .formatted(row, EventKind.ofCode(columns.kind[row])));
      }
    }
    return new EventBlock(
        BlockHeader.MADE_BY_SERVER,
        names.incarnations(),
        dictionaries,
        columns,
        null,
        rows.size(),
        changes.bits.length);
  }
}
