// SPDX-License-Identifier: Apache-2.0
package io.retroscope.blocks.read;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.PackedColumn;
import java.util.Arrays;

/**
 * The raw physical readings of a sealed block's rows, in microseconds, or {@link
 * Event#NO_PHYSICAL}. The columns of their section say which rows have none, and how far below the
 * stamps the others are.
 */
final class PhysicalReadings {
  private PhysicalReadings() {}

  /** The readings of all rows. */
  static long[] of(long[] stamps, PackedColumn[] section) {
    long[] readings = new long[stamps.length];
    boolean areAlike = section[0].isConstant() && readings.length > 0;
    if (areAlike && section[0].at(0) != 0) {
      Arrays.fill(readings, Event.NO_PHYSICAL);
      return readings;
    }
    section[1].decode(readings);
    if (areAlike) {
      for (int row = 0; row < readings.length; row++) {
        readings[row] = HlcTimestamp.micros(stamps[row]) - readings[row];
      }
      return readings;
    }
    long[] unknown = new long[stamps.length];
    section[0].decode(unknown);
    for (int row = 0; row < readings.length; row++) {
      boolean isKnown = unknown[row] == 0;
      readings[row] =
          isKnown ? HlcTimestamp.micros(stamps[row]) - readings[row] : Event.NO_PHYSICAL;
    }
    return readings;
  }

  /** The reading of one row, which takes less time than those of all rows. */
  static long at(int row, long[] stamps, PackedColumn[] section) {
    return section[0].at(row) == 0
        ? HlcTimestamp.micros(stamps[row]) - section[1].at(row)
        : Event.NO_PHYSICAL;
  }
}
