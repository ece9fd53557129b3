package io.retroscope.event;

import java.util.List;
import java.util.function.IntToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The columns of a block that a server creates from rows whose order is known already, of any
 * number of runs. Used by one thread.
 */
public final class OrderedRows {
  private final BlockColumns columns;
  private final int rowCount;
  private final int changeCount;

  /** Columns to be filled completely. */
  public OrderedRows(int rowCount, int changeCount) {
    this.columns = new BlockColumns(rowCount, changeCount);
    this.rowCount = rowCount;
    this.changeCount = changeCount;
  }

  /**
   * Sets a row.
   *
   * @param run the index of its node and incarnation
   * @param endChange the index after its last change; its first one follows those of the row before
   */
  public void row(
      int row,
      long hlc,
      long physicalMicros,
      long sequence,
      EventKind kind,
      int marks,
      int run,
      int log,
      int endChange) {
    columns.hlc[row] = hlc;
    columns.physical[row] = physicalMicros;
    columns.sequence[row] = sequence;
    columns.kind[row] = kind.code();
    columns.marks[row] = (byte) marks;
    columns.node[row] = run;
    columns.log[row] = log;
    columns.changeStart[row + 1] = endChange;
  }

  /**
   * Sets a change.
   *
   * @param name the index of its variable or field, or {@link EventBlock#NO_NAME}
   * @param bits as described in {@link ValueType}
   */
  public void change(
      int change, EventBody.Operation operation, int name, ValueType type, long bits) {
    columns.operation[change] = (byte) operation.code();
    columns.name[change] = name;
    columns.type[change] = type.code();
    columns.bits[change] = bits;
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
   * A block of which each row is an unmarked state change that sets one variable. All arrays have
   * one entry per row, and belong to the block from now on.
   *
   * @param hlc packed, ascending
   * @param runs the indexes of the rows' nodes and incarnations
   * @param variables the indexes of the rows' variables; null if there is only one
   * @param types for each variable, the type of all its values
   * @param bits of the values, as described in {@link ValueType}
   * @param physicalMicros finds the {@link EventBlock#physicalMicros} of a row whenever it is
   *     needed, in any thread
   * @param sequences finds the {@link EventBlock#sequence} likewise
   * @param names one log
   * @throws IllegalArgumentException if there are more than {@link EventBlock#MAX_EVENTS} rows
   */
  public static EventBlock ofSingleChanges(
      long[] hlc,
      int[] runs,
      int @Nullable [] variables,
      List<ValueType> types,
      long[] bits,
      IntToLongFunction physicalMicros,
      IntToLongFunction sequences,
      Names names) {
    int size = hlc.length;
    if (size > EventBlock.MAX_EVENTS || size != runs.length || size != bits.length) {
      throw new IllegalArgumentException(
          "columns of %d, %d and %d rows".formatted(size, runs.length, bits.length));
    }
    Dictionaries dictionaries =
        new Dictionaries(names.nodes(), names.logs(), names.names(), names.texts(), names.nested());
    return new EventBlock(
        BlockHeader.MADE_BY_SERVER,
        names.incarnations(),
        dictionaries,
        new BlockColumns(
            hlc, runs, variables, types(size, variables, types), bits, physicalMicros, sequences),
        size,
        size);
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
   * The block; nothing may be set afterwards.
   *
   * @throws CorruptBlockException if the stamps descend, or a row does not have the changes of its
   *     kind
   */
  public EventBlock build(Names names) throws CorruptBlockException {
    Dictionaries dictionaries =
        new Dictionaries(names.nodes(), names.logs(), names.names(), names.texts(), names.nested());
    for (int row = 0; row < rowCount; row++) {
      if (row > 0 && columns.hlc[row] < columns.hlc[row - 1]) {
        throw new CorruptBlockException(0, "row " + row + " has a lower stamp than the one before");
      }
      if (!BodyLayout.fits(columns, dictionaries, row)) {
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
        rowCount,
        changeCount);
  }
}
