// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.cut;

/**
 * Bounds of the numbers of a column: the numbers themselves or, during a stretch, bounds that hold
 * at all of its cuts. Valid while all values are numbers, those of one node while it has one. Used
 * by one thread.
 */
public final class ColumnBounds {
  private final VariableColumn column;
  private final LongReach reach;

  ColumnBounds(VariableColumn column, LongReach reach) {
    this.column = column;
    this.reach = reach;
  }

  /** Whether the bounds hold for several cuts, at which the values may differ. */
  public boolean isStretch() {
    return reach.isStretch();
  }

  /** A lower bound of the number at a node. */
  public long low(int node) {
    return reach.isStretch() ? reach.low(node) : column.number(node);
  }

  /** An upper bound of the number at a node. */
  public long high(int node) {
    return reach.isStretch() ? reach.high(node) : column.number(node);
  }

  /** A lower bound of the smallest number. */
  public long minLow() {
    return reach.isStretch() ? reach.low() : column.min();
  }

  /** An upper bound of the smallest number. */
  public long minHigh() {
    return reach.isStretch() ? reach.minHigh() : column.min();
  }

  /** A lower bound of the largest number. */
  public long maxLow() {
    return reach.isStretch() ? reach.maxLow() : column.max();
  }

  /** An upper bound of the largest number. */
  public long maxHigh() {
    return reach.isStretch() ? reach.high() : column.max();
  }

  /** A lower bound of the difference between the largest and the smallest LONG. */
  public long spreadLow() {
    return reach.isStretch() ? reach.spreadLow() : column.max() - column.min();
  }

  /** An upper bound of it; negative if it may not fit into a LONG. */
  public long spreadHigh() {
    return reach.isStretch() ? reach.spreadHigh() : column.max() - column.min();
  }
}
