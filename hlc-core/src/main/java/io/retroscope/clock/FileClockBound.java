// SPDX-License-Identifier: Apache-2.0
package io.retroscope.clock;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.OptionalLong;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/** A bound in a file. */
final class FileClockBound implements ClockBound {
  /*
   *   0        8        12       16       24       28       32
   *   +--------+--------+--------+--------+--------+--------+
   *   | bound  | CRC32C | 0      | bound  | CRC32C | 0      |     big-endian; bounds in wire form
   *   +--------+--------+--------+--------+--------+--------+
   *
   * The two records are written alternately, so that a torn write leaves the other one intact; the
   * higher valid record is used. A bound lower than the previous one is therefore written to both
   * records, to the record with the higher bound last.
   *
   * This class does not use a FileChannel, because an interrupt of the calling thread would close
   * it.
   */
  private static final int RECORD_BYTES = 16;
  private static final int RECORD_COUNT = 2;

  /** Forces a file's content to the disk; a seam for tests that simulate a power loss. */
  interface Force {
    void force(RandomAccessFile file) throws IOException;
  }

  static final Force NEVER = file -> {};
  static final Force EACH_STORE = file -> file.getFD().sync();

  private final Path path;
  private final Force force;
  private @Nullable RandomAccessFile file;
  private boolean closed;
  private int turn;

  /** An upper limit of the bounds in the file. */
  private long highest = HlcTimestamp.MAX_PACKED;

  FileClockBound(Path path, Force force) throws IOException {
    this.path = path;
    this.force = force;
    file();
  }

  /** The open file; reopened after a failure. */
  private RandomAccessFile file() throws IOException {
    RandomAccessFile open = file;
    if (closed) {
      throw new IOException("the clock's bound in " + path + " is closed");
    }
    if (open == null) {
      open = new RandomAccessFile(path.toFile(), "rw");
      file = open;
    }
    return open;
  }

  @Override
  public OptionalLong load() throws IOException {
    OptionalLong found = OptionalLong.empty();
    RandomAccessFile from = file();
    for (int record = 0; record < RECORD_COUNT; record++) {
      ByteBuffer bytes = ByteBuffer.allocate(RECORD_BYTES);
      from.seek((long) record * RECORD_BYTES);
      int length = from.read(bytes.array());
      if (length == RECORD_BYTES && bytes.getInt(Long.BYTES) == checksum(bytes)) {
        long bound = HlcTimestamp.fromWire(bytes.getLong(0));
        if (found.isEmpty() || bound >= found.getAsLong()) {
          found = OptionalLong.of(bound);
          turn = (record + 1) % RECORD_COUNT;
        }
      }
    }
    if (found.isEmpty() && from.length() > 0) {
      throw new IOException("the clock's bound in " + path + " is damaged");
    }
    highest = found.orElse(HlcTimestamp.MIN_PACKED);
    return found;
  }

  @Override
  public void store(long bound) throws IOException {
    try {
      write(bound);
      if (bound < highest) {
        write(bound);
      }
      highest = bound;
    } catch (IOException e) {
      closeFile();
      throw e;
    }
  }

  private void write(long bound) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(RECORD_BYTES);
    bytes.putLong(0, HlcTimestamp.toWire(bound));
    bytes.putInt(Long.BYTES, checksum(bytes));
    RandomAccessFile to = file();
    to.seek((long) turn * RECORD_BYTES);
    to.write(bytes.array());
    force.force(to);
    turn = (turn + 1) % RECORD_COUNT;
  }

  private static int checksum(ByteBuffer record) {
    CRC32C crc = new CRC32C();
    crc.update(record.slice(0, Long.BYTES));
    return (int) crc.getValue();
  }

  @Override
  public void close() throws IOException {
    closed = true;
    closeFile();
  }

  private void closeFile() throws IOException {
    RandomAccessFile open = file;
    file = null;
    if (open != null) {
      open.close();
    }
  }
}
