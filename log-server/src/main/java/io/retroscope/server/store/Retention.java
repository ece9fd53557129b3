package io.retroscope.server.store;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.clock.PhysicalClock;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** A rule on which of a store's blocks, oldest arrival first, may go. Thread-safe. */
public interface Retention {
  /** Nothing goes. */
  Retention KEEP_ALL = blocks -> 0;

  /** The blocks that are stored, in order of arrival. */
  interface Blocks {
    /** How many there are. */
    int count();

    /** Packed: the highest stamp in a block, counted from 0. */
    long lastHlc(int index);

    /** The bytes of files that all of them take, roughly. */
    long fileBytes();
  }

  /** The number of blocks that go, from the first one on. */
  int removableCount(Blocks blocks);

  /**
   * Events go once they are older than an age, as soon as all that arrived before them may go.
   *
   * @param age positive
   * @param clock says how old they are
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
   * The oldest arrivals go once the files take more than so many bytes; the latest block stays.
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

  /** What goes by this rule or by another one. */
  default Retention or(Retention other) {
    return blocks -> Math.max(removableCount(blocks), other.removableCount(blocks));
  }
}
