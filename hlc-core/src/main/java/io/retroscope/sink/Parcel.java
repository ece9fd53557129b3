// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sink;

import io.retroscope.event.BlockFrame;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBlockCodec;
import io.retroscope.event.LostBlocks;

/**
 * An encoded frame to be delivered: a block, a heartbeat, or a notice of loss. Immutable as long as
 * its bytes are not modified; equality is identity.
 */
public final class Parcel {
  private final byte[] bytes;
  private final LostBlocks ifLost;
  private final Kind kind;

  private enum Kind {
    BLOCK,
    HEARTBEAT,
    LOST
  }

  private Parcel(byte[] bytes, LostBlocks ifLost, Kind kind) {
    this.bytes = bytes;
    this.ifLost = ifLost;
    this.kind = kind;
  }

  static Parcel of(BlockFrame frame) {
    if (frame instanceof LostBlocks notice) {
      return new Parcel(EventBlockCodec.encode(notice), notice, Kind.LOST);
    }
    EventBlock block = (EventBlock) frame;
    return new Parcel(EventBlockCodec.encode(block), standIn(block), Kind.BLOCK);
  }

  /** A heartbeat, which is sent at most once and never declared lost. */
  static Parcel ofHeartbeat(EventBlock block) {
    LostBlocks nothing =
        new LostBlocks(
            block.node(),
            block.incarnation(),
            block.number(),
            block.number(),
            0,
            block.heartbeat(),
            block.heartbeat());
    return new Parcel(EventBlockCodec.encode(block), nothing, Kind.HEARTBEAT);
  }

  /** The notice that replaces a lost block. */
  static LostBlocks standIn(EventBlock block) {
    return new LostBlocks(
        block.node(),
        block.incarnation(),
        block.number(),
        block.number(),
        block.size(),
        block.firstHlc(),
        block.lastHlc());
  }

  /** The frame as {@link EventBlockCodec} encodes it; not a copy. */
  public byte[] bytes() {
    return bytes;
  }

  /** The node whose events it contains. */
  public String node() {
    return ifLost.node();
  }

  /** The node's incarnation. */
  public String incarnation() {
    return ifLost.incarnation();
  }

  /**
   * The block's number; for a notice, the first lost number; for a heartbeat, that of the previous
   * block.
   */
  public long number() {
    return ifLost.firstNumber();
  }

  /** Whether it is a bare heartbeat, which may be dropped without loss. */
  public boolean isHeartbeat() {
    return kind == Kind.HEARTBEAT;
  }

  int length() {
    return bytes.length;
  }

  /** The notice to send if it cannot be delivered; for a notice, the notice itself. */
  LostBlocks ifLost() {
    return ifLost;
  }

  /** Whether it is a notice of loss. */
  boolean isLost() {
    return kind == Kind.LOST;
  }

  /** Whether one notice can cover both, where {@code next} directly follows {@code first}. */
  static boolean canJoin(LostBlocks first, LostBlocks next) {
    return first.node().equals(next.node())
        && first.incarnation().equals(next.incarnation())
        && first.lastNumber() + 1 == next.firstNumber()
        && next.lastNumber() - first.firstNumber() < LostBlocks.MAX_BLOCKS;
  }

  static LostBlocks join(LostBlocks first, LostBlocks next) {
    return new LostBlocks(
        first.node(),
        first.incarnation(),
        first.firstNumber(),
        next.lastNumber(),
        Math.min(LostBlocks.MAX_EVENTS, first.eventCount() + next.eventCount()),
        Math.min(first.firstHlc(), next.firstHlc()),
        Math.max(first.lastHlc(), next.lastHlc()));
  }
}
