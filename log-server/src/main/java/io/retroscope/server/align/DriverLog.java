// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.align;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/**
 * The driver node, and since when it and those before were the driver. A node must appear to have
 * the highest clock for a whole window before it takes over, unless the driver certainly is not the
 * highest. Not thread-safe.
 */
final class DriverLog {
  /** The index of no node. */
  static final int NONE = -1;

  /** The most drivers that are remembered. */
  static final int MAX_REIGNS = 100;

  private final double windowMicros;
  private final Deque<Reign> reigns = new ArrayDeque<>();
  private double firstMicros;
  private int challenger = NONE;
  private double challengerSinceMicros;

  /** A driver, and the time since when it was that. */
  record Reign(int node, double sinceMicros) {}

  DriverLog(double windowMicros) {
    this.windowMicros = windowMicros;
  }

  /**
   * Notes which clock appears to be the highest.
   *
   * @param highest index of that node
   * @param deposed whether the driver certainly is not the highest, or is gone
   */
  void looksHighest(int highest, boolean deposed, double nowMicros) {
    if (reigns.isEmpty()) {
      firstMicros = nowMicros;
      take(highest, nowMicros);
      return;
    }
    if (highest == driver()) {
      challenger = NONE;
      return;
    }
    if (challenger != highest) {
      challenger = highest;
      challengerSinceMicros = nowMicros;
    }
    boolean settled = nowMicros - firstMicros >= windowMicros;
    if (deposed || !settled || nowMicros - challengerSinceMicros >= windowMicros) {
      take(highest, settled ? challengerSinceMicros : firstMicros);
    }
  }

  private void take(int node, double sinceMicros) {
    while (!reigns.isEmpty() && reigns.getLast().sinceMicros >= sinceMicros) {
      reigns.removeLast(); // It has turned out not to have been the highest.
    }
    if (!reigns.isEmpty() && reigns.getLast().node == node) {
      // The same one was the driver before those that were not.
      challenger = NONE;
      return;
    }
    reigns.addLast(new Reign(node, sinceMicros));
    if (reigns.size() > MAX_REIGNS) {
      reigns.removeFirst();
    }
    challenger = NONE;
  }

  /** Index of the driver, or {@link #NONE}. */
  int driver() {
    return reigns.isEmpty() ? NONE : reigns.getLast().node;
  }

  /** The last drivers, up to a hundred, oldest first: each until the next one. */
  List<Reign> reigns() {
    return List.copyOf(reigns);
  }
}
