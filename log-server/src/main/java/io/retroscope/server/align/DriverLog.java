// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.align;

/**
 * The driver node and the time since when it is the driver. A node must appear to have the highest
 * clock for a whole window before it takes over, unless the driver certainly is not the highest.
 * Not thread-safe.
 */
final class DriverLog {
  /** The index of no node. */
  static final int NONE = -1;

  private final double windowMicros;
  private int driver = NONE;
  private double driverSinceMicros;
  private double firstMicros;
  private int challenger = NONE;
  private double challengerSinceMicros;

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
    if (driver == NONE) {
      firstMicros = nowMicros;
      take(highest, nowMicros);
      return;
    }
    if (highest == driver) {
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
    driver = node;
    driverSinceMicros = sinceMicros;
    challenger = NONE;
  }

  /** Index of the driver, or {@link #NONE}. */
  int driver() {
    return driver;
  }

  /** The time since when it is the driver. */
  double driverSinceMicros() {
    return driverSinceMicros;
  }
}
