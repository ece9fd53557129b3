// SPDX-License-Identifier: Apache-2.0
package io.retroscope.clock;

/**
 * A reusable holder for a stamp and the raw physical reading it was derived from, which avoids an
 * allocation. Owned by the thread that passes it to the clock.
 */
public class HlcReading {
  /** The packed stamp. */
  public long hlc;

  /** The exact reading of the physical clock that the stamp was derived from, in microseconds. */
  public long physicalMicros;

  /** A reading without values. */
  public HlcReading() {}
}
