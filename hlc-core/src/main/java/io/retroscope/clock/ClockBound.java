// SPDX-License-Identifier: Apache-2.0
package io.retroscope.clock;

import java.io.IOException;
import java.nio.file.Path;
import java.util.OptionalLong;

/**
 * An upper bound of all stamps given out so far, persisted across restarts. A clock loads it when
 * it is created and stores it on a dedicated thread, which may block on a disk. One thread at a
 * time calls it.
 */
public interface ClockBound extends AutoCloseable {
  /**
   * The bound stored last, packed; empty if none was ever stored.
   *
   * @throws IOException if there is a bound and it cannot be read
   */
  OptionalLong load() throws IOException;

  /**
   * Stores a bound, packed, which may be lower than the previous one; it must be in force when this
   * method returns.
   *
   * @throws IOException if it cannot be stored; the clock counts the failure and continues with the
   *     previous bound
   */
  void store(long bound) throws IOException;

  @Override
  void close() throws IOException;

  /**
   * A bound in a small file. It survives the end of the process, and with {@code fsync} also a
   * power loss. Interrupts do not affect it.
   *
   * @throws IOException if the file cannot be opened
   */
  static ClockBound inFile(Path file, boolean fsync) throws IOException {
    return new FileClockBound(file, fsync ? FileClockBound.EACH_STORE : FileClockBound.NEVER);
  }
}
