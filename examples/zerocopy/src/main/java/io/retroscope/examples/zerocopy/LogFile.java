// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.zerocopy;

import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.zip.CRC32;

/**
 * A log, or a part of one, that is written from sockets and sent to them by the kernel: the bytes
 * do not pass through this program, which only sums up those that it has. Used by one thread, apart
 * from {@link #ship}.
 */
final class LogFile implements Closeable {
  private static final int MAX_SUMMED = 1 << 20;

  private final FileChannel channel;
  private final long begin;
  private final CRC32 sum = new CRC32();
  private long length;

  private LogFile(FileChannel channel, long begin) throws IOException {
    this.channel = channel;
    this.begin = begin;
    sumUpTo(channel.size());
  }

  /**
   * Opens a file that exists, or a new one.
   *
   * @param begin the offset in the log of its first byte
   */
  static LogFile open(Path file, long begin) throws IOException {
    return new LogFile(
        FileChannel.open(
            file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE),
        begin);
  }

  private void sumUpTo(long newLength) throws IOException {
    while (length < newLength) {
      long next = Math.min(MAX_SUMMED, newLength - length);
      sum.update(channel.map(MapMode.READ_ONLY, length, next));
      length += next;
    }
  }

  /** The offset in the log after its last byte. */
  long end() {
    return begin + length;
  }

  /** The end, and a sum of all bytes before it. */
  String head() {
    return end() + "/" + Long.toHexString(sum.getValue());
  }

  /** Appends bytes from a socket. */
  void append(ReadableByteChannel from, int count) throws IOException {
    long target = length + count;
    long position = length;
    while (position < target) {
      long moved = channel.transferFrom(from, position, target - position);
      if (moved == 0) {
        channel.truncate(length);
        throw new EOFException("the other side has closed the stream within a frame");
      }
      position += moved;
    }
    sumUpTo(target);
  }

  /** Waits until all bytes are on the disk. */
  void force() throws IOException {
    channel.force(false);
  }

  /** Sends bytes to a socket. */
  void ship(long from, int count, WritableByteChannel to) throws IOException {
    long position = from - begin;
    long target = position + count;
    while (position < target) {
      long moved = channel.transferTo(position, target - position, to);
      if (moved == 0 && position >= channel.size()) {
        throw new EOFException("the log ends at " + end() + ", before " + (begin + target));
      }
      position += moved;
    }
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
