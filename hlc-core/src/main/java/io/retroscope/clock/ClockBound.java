package io.retroscope.clock;

import java.io.IOException;
import java.nio.file.Path;
import java.util.OptionalLong;

/**
 * Keeps, across restarts, a stamp that no stamp given out so far has passed. A clock calls it from
 * one thread at a time.
 */
public interface ClockBound extends AutoCloseable {
  /**
   * The bound stored last, packed; empty if none ever was.
   *
   * @throws IOException if there is one and it cannot be read
   */
  OptionalLong load() throws IOException;

  /** Stores a bound, packed; it must be in force when this returns. */
  void store(long bound) throws IOException;

  @Override
  void close() throws IOException;

  /**
   * A bound in a small file, which survives the end of the process; a power loss only with {@code
   * fsync}.
   *
   * @throws IOException if the file cannot be opened
   */
  static ClockBound inFile(Path file, boolean fsync) throws IOException {
    return new FileClockBound(file, fsync);
  }
}
