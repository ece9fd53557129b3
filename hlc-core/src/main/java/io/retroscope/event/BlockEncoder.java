// SPDX-License-Identifier: Apache-2.0
package io.retroscope.event;

import io.retroscope.clock.HlcTimestamp;
import java.nio.ByteBuffer;

/**
 * An encoder of frames into the bytes that {@link EventBlockCodec} reads. It reuses its memory for
 * each frame, for callers that write many frames and finish with each before the next. Not
 * thread-safe.
 */
public final class BlockEncoder {
  private final WireWriter out = new WireWriter();
  private final PayloadWriter payload = new PayloadWriter(out);

  /** An encoder without memory reserved. */
  public BlockEncoder() {}

  /**
   * The frame as bytes, valid until the next call.
   *
   * @throws IllegalArgumentException if it would be longer than {@link
   *     EventBlockCodec#MAX_PAYLOAD_BYTES}
   */
  public ByteBuffer encode(BlockFrame frame) {
    write(frame);
    return ByteBuffer.wrap(out.bytes(), 0, out.length());
  }

  WireWriter write(BlockFrame frame) {
    out.clear();
    out.putInt(EventBlockCodec.MAGIC);
    out.putByte(EventBlockCodec.VERSION);
    out.putByte(
        frame instanceof EventBlock ? EventBlockCodec.TYPE_BLOCK : EventBlockCodec.TYPE_LOST);
    out.putByte(0);
    out.putByte(0);
    out.putInt(0);
    if (frame instanceof EventBlock block) {
      payload.write(block);
    } else {
      writeLost((LostBlocks) frame);
    }
    int length = out.length() - EventBlockCodec.HEADER_BYTES;
    if (length > EventBlockCodec.MAX_PAYLOAD_BYTES) {
      throw new IllegalArgumentException(
          "a block of "
              + length
              + " bytes; at most "
              + EventBlockCodec.MAX_PAYLOAD_BYTES
              + " are allowed");
    }
    out.setInt(EventBlockCodec.LENGTH_POSITION, length);
    out.putInt(EventBlockCodec.checksum(out.bytes(), 0, out.length()));
    return out;
  }

  private void writeLost(LostBlocks lost) {
    out.putText(lost.node());
    out.putText(lost.incarnation());
    out.putVarint(lost.firstNumber());
    out.putVarint(lost.lastNumber());
    out.putVarint(lost.eventCount());
    out.putLong(HlcTimestamp.toWire(lost.firstHlc()));
    out.putLong(HlcTimestamp.toWire(lost.lastHlc()));
  }
}
