package io.retroscope.sink;

/**
 * The state of a sink's deliveries, counted since its start.
 *
 * @param lostEvents events that were accepted and are lost: discarded for want of room, refused, or
 *     undelivered at the end with no place to keep them
 * @param retries deliveries that failed and were or will be repeated
 * @param refusedBlocks blocks that the other side refused for good
 * @param target the receiver of the events, as in "the log server at http://host:7340"; empty if
 *     the sink does not name it
 * @param lastFailure the reason of the last failed delivery, empty if there was none
 */
public record SinkStatistics(
    long lostEvents, long retries, long refusedBlocks, String target, String lastFailure) {
  /** A sink that has lost nothing. */
  public static final SinkStatistics NONE = new SinkStatistics(0, 0, 0, "", "");
}
