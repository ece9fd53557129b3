// SPDX-License-Identifier: Apache-2.0
package io.retroscope.blocks.read;

import io.retroscope.event.CorruptBlockException;
import io.retroscope.event.PackedColumn;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/** The rows of a sealed block that become those of an event block. Immutable. */
final class KeptRows {
  private final int @Nullable [] rows;

  /**
   * Rows.
   *
   * @param rows ascending; null if all are kept
   */
  KeptRows(int @Nullable [] rows) {
    this.rows = rows;
  }

  /** The number of rows; the given one if all are kept. */
  int size(int all) {
    return rows == null ? all : rows.length;
  }

  /** The entries of the rows in a column, which is not copied if all are kept. */
  long[] of(long[] column) {
    if (rows == null) {
      return column;
    }
    long[] kept = new long[rows.length];
    for (int i = 0; i < kept.length; i++) {
      kept[i] = column[rows[i]];
    }
    return kept;
  }

  /** The entries of the rows likewise. */
  int[] of(int[] column) {
    if (rows == null) {
      return column;
    }
    int[] kept = new int[rows.length];
    for (int i = 0; i < kept.length; i++) {
      kept[i] = column[rows[i]];
    }
    return kept;
  }

  /** The entries of the rows likewise. */
  byte[] of(byte[] column) {
    if (rows == null) {
      return column;
    }
    byte[] kept = new byte[rows.length];
    for (int i = 0; i < kept.length; i++) {
      kept[i] = column[rows[i]];
    }
    return kept;
  }

  /**
   * The indexes of the rows' first changes, and the number of all changes after them; a row that is
   * not kept has none.
   */
  int[] starts(int[] all) {
    if (rows == null) {
      return all;
    }
    int[] kept = new int[rows.length + 1];
    for (int i = 0; i < rows.length; i++) {
      kept[i] = all[rows[i]];
    }
    kept[rows.length] = all[all.length - 1];
    return kept;
  }

  /** Whether a test is true for a row of the given number of all. */
  boolean anyMatch(IntPredicate test, int all) {
    int count = size(all);
    for (int i = 0; i < count; i++) {
      if (test.test(rows == null ? i : rows[i])) {
        return true;
      }
    }
    return false;
  }

  /** The raw physical readings, which are checked now and unpacked when one is requested. */
  LateColumn physicalMicros(SealedBlock block, long[] stamps) throws CorruptBlockException {
    PackedColumn[] section = block.columns(Section.Kind.PHYSICAL, 2);
    return new LateColumn(
        row -> PhysicalReadings.at(rows == null ? row : rows[row], stamps, section),
        () -> of(PhysicalReadings.of(stamps, section)));
  }

  /** The sequence numbers likewise. */
  LateColumn sequences(SealedBlock block, int[] runs) throws CorruptBlockException {
    PackedColumn[] section = block.columns(Section.Kind.SEQUENCE, 2);
    return new LateColumn(() -> of(block.sequences(runs, section)));
  }
}
