// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store.disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * The file in which RocksDB lists its files, parsed as far as a check of its end requires.
 *
 * <p>RocksDB treats a truncated last entry as one that was never finished and opens without it. A
 * corrupted length looks the same, and then all later entries are dropped silently. Entries are
 * synced before anything relies on them, so an end within an entry is rare otherwise.
 */
/*
 *   0        4        6      7
 *  +--------+--------+------+----------+
 *  | CRC    | length | type | length   |   little-endian; in blocks of 32 KiB, of which the last
 *  |        |        |      | bytes    |   6 bytes or less stay empty where no header fits
 *  +--------+--------+------+----------+
 */
public final class Manifest {
  private static final int BLOCK_BYTES = 32 << 10;
  private static final int HEADER_BYTES = 7;
  private static final int LENGTH_POSITION = 4;

  /** A server may be writing the last entry, which takes it much less than all of these pauses. */
  private static final int MAX_READS = 10;

  private static final long PAUSE_MILLIS = 20;

  private Manifest() {}

  /**
   * Whether the list of a database's files ends within an entry, and not only while a server writes
   * it.
   */
  public static boolean endsWithinEntry(Path database) {
    return isLasting(() -> endsWithinEntryNow(database));
  }

  static boolean isLasting(BooleanSupplier endsWithinEntry) {
    for (int reads = 1; endsWithinEntry.getAsBoolean(); reads++) {
      if (reads == MAX_READS) {
        return true;
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(PAUSE_MILLIS));
    }
    return false;
  }

  private static boolean endsWithinEntryNow(Path database) {
    try {
      String name = Files.readString(database.resolve("CURRENT")).strip();
      return endsWithinEntry(Files.readAllBytes(database.resolve(name)));
    } catch (IOException | IllegalArgumentException e) {
      // Opening the database reports the failure with a better message.
      return false;
    }
  }

  public static boolean endsWithinEntry(byte[] bytes) {
    ByteBuffer in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    int position = 0;
    while (position < bytes.length) {
      int left = BLOCK_BYTES - position % BLOCK_BYTES;
      if (left < HEADER_BYTES) {
        position += left;
      } else if (bytes.length - position < HEADER_BYTES) {
        return true;
      } else {
        position += HEADER_BYTES + Short.toUnsignedInt(in.getShort(position + LENGTH_POSITION));
      }
    }
    return position > bytes.length;
  }
}
