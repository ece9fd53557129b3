package io.retroscope.clock;

import java.io.IOException;
import java.nio.file.Path;
import java.util.OptionalLong;

/**
 * Keeps, across restarts, a stamp that no stamp given out so far has passed. A clock loads it when
 * it begins, and stores it on a thread of its own, which may wait for a disk.
 */
public interface ClockBound extends AutoCloseable {
  /**
   * The bound stored last, packed; empty if none ever was.
   *
   * @throws IOException if there is one and it cannot be read
   */
  OptionalLong load() throws IOException;

  /** Stores a bound, packed, also a lower one; it must be in force when this returns. */
  void store(long bound) throws IOException;

  @Override
  void close() throws IOException;

  /**
   * A bound in a small file, which survives the end of the process; a power loss only with {@code
   * fsync}. Interrupts do not affect it.
   *
   * @throws IOException if the file cannot be opened
   */
  static ClockBound inFile(Path file, boolean fsync) throws IOException {
    return new FileClockBound(file, fsync ? FileClockBound.EACH_STORE : FileClockBound.NEVER);
  }
}
