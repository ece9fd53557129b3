// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.api;

import io.retroscope.server.memory.MemoryBudget.Charge;
import io.retroscope.server.memory.OverBudgetException;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;

/**
 * A message of a WebSocket while its pieces arrive. Each piece is charged before it is kept; if
 * there is no memory for one, no part of the message is kept. Used by one thread at a time.
 */
final class GatheredMessage implements AutoCloseable {
  private final Charge charge;
  private final long begunNanos;
  private ByteArrayOutputStream kept = new ByteArrayOutputStream(0);
  private long length;
  private boolean dropped;

  /**
   * A message of which nothing has arrived.
   *
   * @param charge an empty charge
   */
  GatheredMessage(Charge charge, long nowNanos) {
    this.charge = charge;
    this.begunNanos = nowNanos;
  }

  /** Adds a piece, and empties its buffer. */
  void add(ByteBuffer piece) {
    int more = piece.remaining();
    length += more;
    // Twice the size: the array is copied when it grows, and once more at the end.
    if (!dropped && !charge.tryResize(2L * length)) {
      close();
      dropped = true;
    }
    if (dropped) {
      piece.position(piece.limit());
    } else {
      byte[] copy = new byte[more];
      piece.get(copy);
      kept.writeBytes(copy);
    }
  }

  /** The number of bytes that have arrived, kept or not. */
  long length() {
    return length;
  }

  boolean isTooSlow(long nowNanos) {
    return BodyReader.isTooSlow(nowNanos - begunNanos, length);
  }

  /**
   * The complete message, which its charge counts from now on.
   *
   * @throws OverBudgetException if it was not kept
   */
  byte[] bytes() {
    if (dropped) {
      charge.checkFits(2L * length);
      throw charge.busy();
    }
    byte[] bytes = kept.toByteArray();
    kept = new ByteArrayOutputStream(0);
    boolean unused = charge.tryResize(bytes.length);
    return bytes;
  }

  Charge charge() {
    return charge;
  }

  /** Releases the memory of the pieces. */
  @Override
  public void close() {
    kept = new ByteArrayOutputStream(0);
    charge.close();
  }
}
