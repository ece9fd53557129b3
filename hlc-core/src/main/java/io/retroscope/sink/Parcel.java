package io.retroscope.sink;

import io.retroscope.event.BlockFrame;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBlockCodec;
import io.retroscope.event.LostBlocks;

/**
 * An encoded frame on its way.
 *
 * <p>Its bytes are never changed; two parcels are equal if they are the same.
 */
final class Parcel {
  private final byte[] bytes;
  private final LostBlocks ifLost;
  private final boolean lost;

  private Parcel(byte[] bytes, LostBlocks ifLost, boolean lost) {
    this.bytes = bytes;
    this.ifLost = ifLost;
    this.lost = lost;
  }

  static Parcel of(BlockFrame frame) {
    if (frame instanceof LostBlocks notice) {
      return new Parcel(EventBlockCodec.encode(notice), notice, true);
    }
    EventBlock block = (EventBlock) frame;
    return new Parcel(EventBlockCodec.encode(block), standIn(block), false);
  }

  /** The notice that takes the place of a block. */
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

  byte[] bytes() {
    return bytes;
  }

  int length() {
    return bytes.length;
  }

  /** What to declare if it cannot be delivered; for a notice, itself. */
  LostBlocks ifLost() {
    return ifLost;
  }

  /** Whether it is a notice of loss already. */
  boolean isLost() {
    return lost;
  }

  /** Whether one notice can speak for both, of which {@code next} directly follows. */
  static boolean canJoin(LostBlocks first, LostBlocks next) {
    return first.node().equals(next.node())
        && first.incarnation().equals(next.incarnation())
        && first.lastNumber() + 1 == next.firstNumber();
  }

  static LostBlocks join(LostBlocks first, LostBlocks next) {
    return new LostBlocks(
        first.node(),
        first.incarnation(),
        first.firstNumber(),
        next.lastNumber(),
        first.eventCount() + next.eventCount(),
        Math.min(first.firstHlc(), next.firstHlc()),
        Math.max(first.lastHlc(), next.lastHlc()));
  }
}
