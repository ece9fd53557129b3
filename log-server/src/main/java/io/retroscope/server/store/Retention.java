// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.clock.PhysicalClock;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** A rule that selects which of a store's blocks are removed, in order of arrival. Thread-safe. */
public interface Retention {
  /** Removes nothing. */
  Retention KEEP_ALL = blocks -> 0;

  /** The blocks that are stored, in order of arrival. */
  interface Blocks {
    /** The number of blocks. */
    int count();

    /** Packed: the highest stamp in a block, with an index from 0. */
    long lastHlc(int index);

    /** The approximate number of bytes in the files of all blocks. */
    long fileBytes();
  }

  /** The number of blocks to remove, from the first one on. */
  int removableCount(Blocks blocks);

  /**
   * A rule that removes events older than an age, once all events that arrived before them can be
   * removed.
   *
   * @param age positive
   * @param clock the clock by which the age is measured
   */
  static Retention ofAge(Duration age, PhysicalClock clock) {
    if (age.isZero() || age.isNegative()) {
      throw new IllegalArgumentException("events must be kept for some time: " + age);
    }
    long ageMicros = TimeUnit.SECONDS.toMicros(age.toSeconds());
    return blocks -> {
      long horizon = clock.micros() - ageMicros;
      int count = 0;
      while (count < blocks.count() && HlcTimestamp.micros(blocks.lastHlc(count)) < horizon) {
        count++;
      }
      return count;
    };
  }

  /**
   * A rule that removes the oldest arrivals while the files take more than a number of bytes; the
   * latest block is kept.
   *
   * @param maxBytes positive
   */
  static Retention ofSize(long maxBytes) {
    if (maxBytes < 1) {
      throw new IllegalArgumentException("the files must be allowed some bytes: " + maxBytes);
    }
    return blocks -> {
      long excess = blocks.fileBytes() - maxBytes;
      if (excess <= 0 || blocks.count() == 0) {
        return 0;
      }
      long blockBytes = Math.max(1, blocks.fileBytes() / blocks.count());
      return (int) Math.min(blocks.count() - 1L, excess / blockBytes + 1);
    };
  }

  /** A rule that removes whatever this rule or the other one removes. */
  default Retention or(Retention other) {
    return blocks -> Math.max(removableCount(blocks), other.removableCount(blocks));
  }
}
