// SPDX-License-Identifier: Apache-2.0
package io.retroscope.event;

/** A unit of shipping: a block of events, or the notice that blocks were lost. Immutable. */
public sealed interface BlockFrame permits EventBlock, LostBlocks {
  /** The incarnation of the node that created it; empty if a server created it. */
  String incarnation();

  /** The lowest stamp that it covers; the heartbeat for an empty block. */
  long firstHlc();

  /** The highest stamp that it covers; the heartbeat for an empty block. */
  long lastHlc();
}
