// SPDX-License-Identifier: Apache-2.0
package io.retroscope.event;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The changes of a block's rows as a column for each variable. Between the state changes there may
 * be log lines and messages. Thread-safe.
 */
public final class ChangesByVariable {
  /*
   * Most walks read the columns only. The changes one row after the other, as all blocks have them,
   * are made when they are first requested.
   */

  private static final int[] NONE = {};

  private final int rowCount;
  private final List<SetColumn> columns;
  private final @Nullable Lines lines;
  private final int[] others;
  private final int changeCount;

  /** The same in the order of rows, made once; a race makes it again. */
  private @Nullable BlockColumns byRow;

  /** The log lines and messages of a block. Immutable. */
  public static final class Lines {
    private final int[] rows;
    private final byte[] kinds;
    private final int[] starts;
    private final OrderedRows.Changes changes;

    /**
     * Lines. The arrays belong to them from now on.
     *
     * @param rows ascending
     * @param kinds {@link EventKind#code} of each
     * @param starts the index of the first change of each, and after these the number of all
     */
    public Lines(int[] rows, byte[] kinds, int[] starts, OrderedRows.Changes changes) {
      this.rows = rows;
      this.kinds = kinds;
      this.starts = starts;
      this.changes = changes;
    }
  }

  /**
   * Changes.
   *
   * @param columns in the order that their changes have in each row
   * @param lines the rows that are no state changes; null if there are none
   */
  public ChangesByVariable(int rowCount, List<SetColumn> columns, @Nullable Lines lines) {
    this(rowCount, columns, lines, NONE);
  }

  ChangesByVariable(int rowCount, List<SetColumn> columns, @Nullable Lines lines, int[] others) {
    this.rowCount = rowCount;
    this.columns = List.copyOf(columns);
    this.lines = lines;
    this.others = others;
    int count = lines == null ? 0 : lines.changes.bits.length;
    for (SetColumn column : columns) {
      count += column.size();
    }
    changeCount = count;
  }

  /**
   * Returns the changes of a block however it was made: if it was not made of columns, they are
   * gathered from its rows, and variables without a column are {@link #others}.
   *
   * @return null if a row starts or stops a node, is a heartbeat, or has a mark that a warning is
   *     about
   */
  public static @Nullable ChangesByVariable of(EventBlock block) {
    ChangesByVariable known = block.byVariable();
    return known == null ? block.gathered() : known;
  }

  /** The columns, in the order that their changes have in each row. */
  public List<SetColumn> columns() {
    return columns;
  }

  /**
   * The indexes of the variables without a column, because some row does more than set them to a
   * value, or because their values have several types; must not be changed.
   */
  public int[] others() {
    return others;
  }

  /** Whether there are log lines or messages. */
  public boolean hasLines() {
    return lines != null && lines.rows.length > 0;
  }

  /** Whether there is a log line or message of a kind. */
  public boolean has(EventKind kind) {
    boolean has = false;
    for (int i = 0; lines != null && i < lines.kinds.length; i++) {
      has |= lines.kinds[i] == kind.code();
    }
    return has;
  }

  /** The indexes of the names of log lines' fields; one may repeat. */
  public int[] fieldNames() {
    return lines == null ? NONE : lines.changes.namesGiven();
  }

  int changeCount() {
    return changeCount;
  }

  /** Whether each row does nothing but set one variable to a LONG. */
  boolean areSingleLongs() {
    return !hasLines()
        && changeCount == rowCount
        && columns.stream().allMatch(column -> column.type == ValueType.LONG.code());
  }

  /** The codes of the rows' kinds; null if all are state changes. */
  byte @Nullable [] kinds() {
    if (lines == null) {
      return null;
    }
    byte[] kinds = new byte[rowCount]; // of state changes
    for (int i = 0; i < lines.rows.length; i++) {
      kinds[lines.rows[i]] = lines.kinds[i];
    }
    return kinds;
  }

  /** Whether the log lines and messages have the changes of their kinds. */
  boolean linesFit(Dictionaries dictionaries) {
    if (lines == null) {
      return true;
    }
    OrderedRows.Heads heads = new OrderedRows.Heads(new long[0], new int[0], lines.starts);
    BlockColumns own =
        new BlockColumns(heads.are(lines.kinds, null, null), lines.changes, row -> 0, row -> 0);
    boolean fit = true;
    for (int line = 0; line < lines.rows.length; line++) {
      fit &= BodyLayout.fits(own, dictionaries, line);
    }
    return fit;
  }

  /**
   * The changes in the order of their rows, beside the other columns of the block.
   *
   * @param heads the other columns
   */
  BlockColumns byRow(BlockColumns heads) {
    BlockColumns known = byRow;
    if (known == null) {
      known = heads.with(starts(), changes());
      byRow = known;
    }
    return known;
  }

  private int[] starts() {
    int[] starts = new int[rowCount + 1];
    for (SetColumn column : columns) {
      for (int i = 0; i < column.size(); i++) {
        starts[column.row(i) + 1]++;
      }
    }
    for (int i = 0; lines != null && i < lines.rows.length; i++) {
      starts[lines.rows[i] + 1] += lines.starts[i + 1] - lines.starts[i];
    }
    for (int row = 0; row < rowCount; row++) {
      starts[row + 1] += starts[row];
    }
    return starts;
  }

  private OrderedRows.Changes changes() {
    OrderedRows.Changes changes = new OrderedRows.Changes(changeCount);
    int[] next = starts();
    for (SetColumn column : columns) {
      long[] bits = column.bits();
      for (int i = 0; i < column.size(); i++) {
        int at = next[column.row(i)]++;
        changes.names[at] = column.variable;
        changes.types[at] = column.type;
        changes.bits[at] = bits[i];
      }
    }
    for (int i = 0; lines != null && i < lines.rows.length; i++) {
      int first = lines.starts[i];
      changes.put(lines.changes, first, lines.starts[i + 1] - first, next[lines.rows[i]]);
    }
    return changes;
  }
}
