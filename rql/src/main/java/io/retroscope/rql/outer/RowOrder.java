// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.outer;

import io.retroscope.event.Value;
import io.retroscope.rql.ast.Statement.SortKey;
import io.retroscope.rql.evaluation.Types;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/**
 * The rows of ORDER BY; with LIMIT, only as many as it lets through. Rows whose keys are equal
 * remain in the order in which they were added. Used by one thread.
 */
final class RowOrder {
  private final List<SortKey> keys;
  private final long limit;
  private final HeldRows held;
  private final PriorityQueue<Sorted> lastFirst;
  private long added;

  private record Sorted(List<Value> keys, List<Value> values, long number) {}

  RowOrder(List<SortKey> keys, long limit, HeldRows held) {
    this.keys = keys;
    this.limit = limit;
    this.held = held;
    this.lastFirst = new PriorityQueue<>(order().reversed());
  }

  /** Adds a row with its keys, or drops one that LIMIT does not let through. */
  void add(List<Value> rowKeys, List<Value> values) {
    Sorted row = new Sorted(rowKeys, values, added++);
    Sorted last = lastFirst.peek();
    boolean isFull = lastFirst.size() >= limit;
    if (isFull && (last == null || order().compare(row, last) > 0)) {
      return;
    }
    if (isFull) {
      lastFirst.poll();
      held.release(last.keys(), last.values());
    }
    held.hold(rowKeys, values);
    lastFirst.add(row);
  }

  /** The values of the rows, in order. */
  List<List<Value>> rows() {
    List<Sorted> sorted = new ArrayList<>(lastFirst);
    sorted.sort(order());
    return sorted.stream().map(Sorted::values).toList();
  }

  private Comparator<Sorted> order() {
    Comparator<Sorted> byNumber = Comparator.comparingLong(Sorted::number);
    return ((Comparator<Sorted>) this::compareKeys).thenComparing(byNumber);
  }

  private int compareKeys(Sorted a, Sorted b) {
    for (int i = 0; i < keys.size(); i++) {
      int order = compare(keys.get(i), a.keys().get(i), b.keys().get(i));
      if (order != 0) {
        return order;
      }
    }
    return 0;
  }

  private static int compare(SortKey key, Value a, Value b) {
    boolean isNull = Types.isNull(a);
    if (isNull || Types.isNull(b)) {
      int nullLast = Boolean.compare(isNull, Types.isNull(b));
      return key.nullsFirst() ? -nullLast : nullLast;
    }
    int order = a.compareTo(b);
    return key.descending() ? -order : order;
  }
}
