package io.retroscope.event;

/** What a sender ships: a block of events, or the notice that blocks will never come. */
public sealed interface BlockFrame permits EventBlock, LostBlocks {
  /** The incarnation of the node that made it; empty where a server did. */
  String incarnation();

  /** The lowest stamp that it speaks of; the heartbeat for an empty block. */
  long firstHlc();

  /** The highest stamp that it speaks of; the heartbeat for an empty block. */
  long lastHlc();
}
