// SPDX-License-Identifier: Apache-2.0
package io.retroscope.event;

/** The header fields of a block; see {@link EventBlock}'s accessors of the same names. */
record BlockHeader(
    String incarnation, long number, long heartbeat, long lastSequence, long promiseMicros) {
  static final BlockHeader MADE_BY_SERVER = new BlockHeader("", 0, EventBlock.NO_HEARTBEAT, 0, 0);

  BlockHeader {
    if (number < 0 || lastSequence < 0 || promiseMicros < 0) {
      throw new IllegalArgumentException(
          "block number "
              + number
              + ", last sequence "
              + lastSequence
              + " and promise of "
              + promiseMicros
              + " us must not be negative");
    }
  }

  BlockHeader promising(long micros) {
    return new BlockHeader(incarnation, number, heartbeat, lastSequence, micros);
  }
}
