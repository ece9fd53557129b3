package io.retroscope.sink;

import io.retroscope.event.BlockFrame;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBlockCodec;
import io.retroscope.event.LostBlocks;

/**
 * An encoded frame on its way: a block, a heartbeat, or a notice of loss. Immutable, as long as
 * nobody changes its bytes; two parcels are equal if they are the same.
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

  /** A block without events; it is sent at most once, and never declared lost. */
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

  /** The frame as {@link EventBlockCodec} encodes it; not a copy. */
  public byte[] bytes() {
    return bytes;
  }

  /** The node whose events it holds. */
  public String node() {
    return ifLost.node();
  }

  /** The node's incarnation. */
  public String incarnation() {
    return ifLost.incarnation();
  }

  /**
   * The block's number; of a notice, the first lost one; of a heartbeat, that of the block before.
   */
  public long number() {
    return ifLost.firstNumber();
  }

  /** Whether it is a bare heartbeat, which nothing is lost without. */
  public boolean isHeartbeat() {
    return kind == Kind.HEARTBEAT;
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
    return kind == Kind.LOST;
  }

  /** Whether one notice can speak for both, of which {@code next} directly follows. */
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
