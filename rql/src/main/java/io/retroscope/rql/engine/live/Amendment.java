// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine.live;

import io.retroscope.rql.engine.live.ShownRows.Shown;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;

/**
 * A comparison of the rows that were sent with those that a walk finds after an event came late.
 * Both come in the order of the stamps at which they are found. Used by one thread.
 */
final class Amendment {
  private final Deque<Shown> sent;
  private final Consumer<Shown> retracted;

  /** The rows that were sent for the stamp that the walk has reached and that it has not found. */
  private final List<Shown> open = new ArrayList<>();

  /**
   * Creates a comparison that has not begun.
   *
   * @param sent in order
   * @param retracted receives each row that was sent and is not found
   */
  Amendment(Deque<Shown> sent, Consumer<Shown> retracted) {
    this.sent = sent;
    this.retracted = retracted;
  }

  /** Takes the next row that the walk finds; returns whether it was sent. */
  boolean isSent(Shown row) {
    reach(row.found());
    for (int i = 0; i < open.size(); i++) {
      if (open.get(i).found() == row.found() && open.get(i).digest() == row.digest()) {
        open.remove(i);
        return true;
      }
    }
    return false;
  }

  private void reach(long found) {
    if (!open.isEmpty() && open.get(0).found() < found) {
      retractOpen();
    }
    while (!sent.isEmpty() && sent.getFirst().found() <= found) {
      Shown next = sent.removeFirst();
      if (next.found() < found) {
        retracted.accept(next);
      } else {
        open.add(next);
      }
    }
  }

  private void retractOpen() {
    open.forEach(retracted);
    open.clear();
  }

  /** Ends the comparison: the walk has found all its rows. */
  void end() {
    retractOpen();
    sent.forEach(retracted);
    sent.clear();
  }
}
