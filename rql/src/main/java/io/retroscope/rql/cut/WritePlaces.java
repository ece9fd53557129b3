// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.cut;

import java.util.Arrays;

/**
 * The places of a stretch of rows, each of which is a row that writes a followed variable, with its
 * stamp. Used by one thread.
 */
final class WritePlaces {
  private int size;
  private long[] stamps = new long[16];

  /** The row of each place in the window. */
  private int[] rows = new int[16];

  /** The array with the stamps, which may be another one. */
  private long[] present = stamps;

  /** Whether each row is a place, so that {@link #rows} is not filled. */
  private boolean isDense;

  private int firstRow;

  /** Removes all places; others begin at a row of the window. */
  void begin(int row) {
    size = 0;
    isDense = false;
    present = stamps;
    firstRow = row;
  }

  /** Makes each of some rows a place. */
  void fill(int count, long[] stampsOfRows) {
    isDense = true;
    present = stampsOfRows;
    size = count;
  }

  /**
   * Makes those of some rows places that are written.
   *
   * @param stampsOfRows of each row
   * @param written 1 for a row that is written and 0 for another; afterwards the place of each
   */
  void fill(int count, long[] stampsOfRows, int[] written) {
    ensureCapacity(count + 1);
    int kept = 0;
    for (int i = 0; i < count; i++) {
      int isWritten = written[i];
      written[i] = kept;
      rows[kept] = firstRow + i;
      stamps[kept] = stampsOfRows[i];
      kept += isWritten;
    }
    size = kept;
  }

  /** Sets what the next place is if {@link #add} adds it. */
  void setNext(int row, long stamp) {
    ensureCapacity(size + 1);
    rows[size] = row;
    stamps[size] = stamp;
  }

  /** The stamp of the next place. */
  long nextStamp() {
    return stamps[size];
  }

  /** Adds the next place. */
  void add() {
    size++;
  }

  /** Removes the places from one on. */
  void removeFrom(int place) {
    size = place;
  }

  private void ensureCapacity(int needed) {
    if (rows.length < needed) {
      int capacity = Math.max(needed, 2 * rows.length);
      rows = Arrays.copyOf(rows, capacity);
      stamps = Arrays.copyOf(stamps, capacity);
      present = stamps;
    }
  }

  /** The number of places. */
  int size() {
    return size;
  }

  /** The first place at or after a row. */
  int placeOf(int row) {
    if (isDense) {
      return row - firstRow;
    }
    int low = 0;
    int high = size;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (rows[middle] < row) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /** The row of a place in the window. */
  int row(int place) {
    return isDense ? firstRow + place : rows[place];
  }

  /** The first place above a stamp. */
  int placeAfter(long stamp) {
    if (size == 0 || present[size - 1] <= stamp) {
      return size;
    }
    int low = 0;
    int high = size;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (present[middle] <= stamp) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /** The place after the last one of the stamp of the place before a place. */
  int stampEnd(int place, int end) {
    int at = Math.min(place, end);
    while (at < end && present[at] == present[at - 1]) {
      at++;
    }
    return at;
  }

  /** The first place of the stamp of a place, at or after {@code from}. */
  int stampStart(int place, int from) {
    int at = place;
    while (at > from && present[at - 1] == present[place]) {
      at--;
    }
    return at;
  }

  /** Whether a place is the last one of its stamp before {@code end}. */
  boolean endsStamp(int place, int end) {
    return place + 1 == end || present[place] != present[place + 1];
  }

  /** The number of stamps of the places {@code from} to {@code to - 1}. */
  int countStamps(int from, int to) {
    return from == to ? 0 : 1 + changes(present, from + 1, to);
  }

  private static int changes(long[] stamps, int from, int to) {
    int changes = 0;
    for (int i = from; i < to; i++) {
      changes += stamps[i] == stamps[i - 1] ? 0 : 1;
    }
    return changes;
  }
}
