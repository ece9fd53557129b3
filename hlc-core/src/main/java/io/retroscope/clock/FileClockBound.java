package io.retroscope.clock;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.OptionalLong;
import java.util.zip.CRC32C;

/** A bound in a file. */
final class FileClockBound implements ClockBound {
  /*
   *   0        8        12       16       24       28       32
   *   +--------+--------+--------+--------+--------+--------+
   *   | bound  | CRC32C | 0      | bound  | CRC32C | 0      |     big-endian; the bound in its wire form
   *   +--------+--------+--------+--------+--------+--------+
   *
   * The two records are written in turn, so that a torn one leaves the other; the higher valid one counts.
   */
  private static final int RECORD_BYTES = 16;
  private static final int RECORD_COUNT = 2;

  private final Path file;
  private final FileChannel channel;
  private final boolean fsync;
  private int turn;

  FileClockBound(Path file, boolean fsync) throws IOException {
    this.file = file;
    this.fsync = fsync;
    channel =
        FileChannel.open(
            file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
  }

  @Override
  public OptionalLong load() throws IOException {
    OptionalLong highest = OptionalLong.empty();
    for (int record = 0; record < RECORD_COUNT; record++) {
      ByteBuffer bytes = ByteBuffer.allocate(RECORD_BYTES);
      channel.read(bytes, (long) record * RECORD_BYTES);
      if (!bytes.hasRemaining() && bytes.getInt(Long.BYTES) == checksum(bytes)) {
        long bound = HlcTimestamp.fromWire(bytes.getLong(0));
        if (highest.isEmpty() || bound >= highest.getAsLong()) {
          highest = OptionalLong.of(bound);
          turn = (record + 1) % RECORD_COUNT;
        }
      }
    }
    if (highest.isEmpty() && channel.size() > 0) {
      throw new IOException("the clock's bound in " + file + " is damaged");
    }
    return highest;
  }

  @Override
  public void store(long bound) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(RECORD_BYTES);
    bytes.putLong(0, HlcTimestamp.toWire(bound));
    bytes.putInt(Long.BYTES, checksum(bytes));
    channel.write(bytes, (long) turn * RECORD_BYTES);
    turn = (turn + 1) % RECORD_COUNT;
    if (fsync) {
      channel.force(false);
    }
  }

  private static int checksum(ByteBuffer record) {
    CRC32C crc = new CRC32C();
    crc.update(record.slice(0, Long.BYTES));
    return (int) crc.getValue();
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
