// SPDX-License-Identifier: Apache-2.0
package io.retroscope.event;

/**
 * A notice that replaces blocks that a sender had to discard and that will never arrive. Immutable.
 *
 * @param node the node that recorded the blocks, 1 to 200 characters
 * @param incarnation the node's incarnation
 * @param firstNumber the first discarded block, from 1
 * @param lastNumber the last discarded block, inclusive
 * @param eventCount the number of events in these blocks
 * @param firstHlc packed, the lowest stamp of these events
 * @param lastHlc packed, the highest stamp of these events
 */
public record LostBlocks(
    String node,
    String incarnation,
    long firstNumber,
    long lastNumber,
    long eventCount,
    long firstHlc,
    long lastHlc)
    implements BlockFrame {
  /** The highest count of lost events, which also represents larger ones. */
  public static final long MAX_EVENTS = 1L << 40;

  /** The most blocks that one notice may declare lost: at 50 per second those of 8 months. */
  public static final long MAX_BLOCKS = 1L << 30;

  /**
   * Whether a sender can have lost so much. A notice of more would hide every later loss of the
   * incarnation.
   */
  public boolean isPlausible() {
    return lastNumber - firstNumber < MAX_BLOCKS
        && lastNumber <= MAX_EVENTS
        && eventCount <= MAX_EVENTS;
  }

  /** Checks the ranges. */
  public LostBlocks {
    if (node.isEmpty() || node.length() > Event.MAX_NODE_LENGTH) {
      throw new IllegalArgumentException(
          "node must have 1 to " + Event.MAX_NODE_LENGTH + " characters: it has " + node.length());
    }
    if (firstNumber < 1 || lastNumber < firstNumber) {
      throw new IllegalArgumentException(
          "lost block numbers must ascend from 1: " + firstNumber + ".." + lastNumber);
    }
    if (eventCount < 0 || firstHlc > lastHlc) {
      throw new IllegalArgumentException(
          "lost blocks: " + eventCount + " events from " + firstHlc + " to " + lastHlc);
    }
  }
}
