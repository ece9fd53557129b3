// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.latency;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;

/**
 * A ping or its answer, of a fixed size: the rest is zeros.
 *
 * <pre>
 * 0      4      12     20           28              36             44
 * | magic | round | stamp | sentMicros | receivedMicros | answeredMicros | 0 ...
 * </pre>
 *
 * @param round the sender's round
 * @param stamp the packed stamp of the send event
 * @param sentMicros the sender's clock when it sent the ping
 * @param receivedMicros the receiver's clock when it had read it; 0 in a ping
 * @param answeredMicros the receiver's clock before it answered; 0 in a ping
 */
record Frame(long round, long stamp, long sentMicros, long receivedMicros, long answeredMicros) {
  static final int MIN_BYTES = 64;

  private static final int MAGIC = 0x52_4c_54_31;

  byte[] bytes(int size) {
    return ByteBuffer.allocate(size)
        .putInt(MAGIC)
        .putLong(round)
        .putLong(stamp)
        .putLong(sentMicros)
        .putLong(receivedMicros)
        .putLong(answeredMicros)
        .array();
  }

  /** Reads a whole frame. */
  static Frame read(InputStream in, int size) throws IOException {
    byte[] bytes = in.readNBytes(size);
    if (bytes.length < size) {
      throw new EOFException("the connection ended");
    }
    ByteBuffer buffer = ByteBuffer.wrap(bytes);
    if (buffer.getInt() != MAGIC) {
      throw new IOException("not a frame of this size: do all nodes have the same --size?");
    }
    return new Frame(
        buffer.getLong(), buffer.getLong(), buffer.getLong(), buffer.getLong(), buffer.getLong());
  }
}
