// SPDX-License-Identifier: Apache-2.0
package io.retroscope.blocks.read;

import io.retroscope.event.OrderedRows;

/** The changes of one section, of any kind, some of which may be left out. */
final class NamedChanges {
  /** The index of the name of a change that is left out; NO_NAME is another one. */
  static final int NOT_WANTED = -2;

  private final Changes changes;
  private final int[] names;
  private final int firstText;
  private final int firstNested;

  /**
   * Changes.
   *
   * @param names for each the index of its variable or field, that of none, or {@link #NOT_WANTED}
   * @param firstText the index that the first text of the section has in the block that is made
   * @param firstNested that of the first set or struct
   */
  NamedChanges(Changes changes, int[] names, int firstText, int firstNested) {
    this.changes = changes;
    this.names = names;
    this.firstText = firstText;
    this.firstNested = firstNested;
  }

  /** The number of changes, also of those that are left out. */
  int size() {
    return names.length;
  }

  boolean isWanted(int change) {
    return names[change] != NOT_WANTED;
  }

  int row(int change) {
    return changes.row(change);
  }

  /** The place of a change in its row. */
  int place(int change) {
    return changes.place(change);
  }

  /** Adds the number of changes of each row that are not left out. */
  void count(int[] counts) {
    for (int i = 0; i < names.length; i++) {
      counts[changes.row(i)] += isWanted(i) ? 1 : 0;
    }
  }

  /** Puts a change into a column. */
  void put(int change, int at, OrderedRows.Changes to) {
    to.operations()[at] = (byte) changes.operation(change).code();
    to.names()[at] = names[change];
    to.types()[at] = changes.type(change).code();
    to.bits()[at] =
        switch (changes.type(change)) {
          case STRING -> changes.bits(change) + firstText;
          case NESTED -> changes.bits(change) + firstNested;
          case NULL, BOOLEAN, LONG, DOUBLE -> changes.bits(change);
        };
  }
}
