// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.zerocopy;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.charset.StandardCharsets;

/**
 * The header of bytes of the log, or an acknowledgement without bytes. Immutable.
 *
 * @param stamp of the sender's clock
 * @param node the sender
 * @param offset in the log of the first byte that follows, or up to which bytes are durable
 * @param length the number of bytes that follow
 */
record Frame(long stamp, String node, long offset, int length) {
  /** The size of a frame without the bytes that follow. */
  static final int BYTES = 28;

  private static final int NAME_BYTES = 8;

  void write(WritableByteChannel channel) throws IOException {
    ByteBuffer buffer = ByteBuffer.allocate(BYTES);
    buffer.putLong(stamp).put(node.getBytes(StandardCharsets.US_ASCII));
    buffer.position(Long.BYTES + NAME_BYTES);
    buffer.putLong(offset).putInt(length).flip();
    while (buffer.hasRemaining()) {
      channel.write(buffer);
    }
  }

  static Frame read(ReadableByteChannel channel) throws IOException {
    ByteBuffer buffer = ByteBuffer.allocate(BYTES);
    while (buffer.hasRemaining()) {
      if (channel.read(buffer) < 0) {
        throw new EOFException("the other side has closed the stream");
      }
    }
    buffer.flip();
    long stamp = buffer.getLong();
    byte[] name = new byte[NAME_BYTES];
    buffer.get(name);
    return new Frame(
        stamp,
        new String(name, StandardCharsets.US_ASCII).trim(),
        buffer.getLong(),
        buffer.getInt());
  }
}
