package io.retroscope.event;

/**
 * Stands in for blocks that a sender had to discard: they will never come.
 *
 * @param node whose blocks they were, 1 to 200 characters
 * @param incarnation of the node
 * @param firstNumber the first discarded block, from 1
 * @param lastNumber the last discarded block, inclusive
 * @param eventCount how many events they held
 * @param firstHlc packed, the lowest stamp among these
 * @param lastHlc packed, the highest stamp among these
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
