package io.retroscope.sink;

/**
 * The state of a sink's deliveries, counted since its start.
 *
 * @param lostEvents accepted events that were lost: discarded for lack of space, refused, or
 *     undelivered at the end without a place to keep them
 * @param retries failed deliveries that were or will be retried
 * @param refusedBlocks blocks that the other side permanently refused
 * @param target the receiver of the events, as in "the log server at http://host:7340"; empty if
 *     the sink does not name it
 * @param lastFailure the reason of the last failed delivery, empty if there was none
 */
public record SinkStatistics(
    long lostEvents, long retries, long refusedBlocks, String target, String lastFailure) {
  /** The statistics of a sink that has lost nothing. */
  public static final SinkStatistics NONE = new SinkStatistics(0, 0, 0, "", "");
}
