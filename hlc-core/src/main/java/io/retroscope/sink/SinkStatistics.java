// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sink;

/**
 * The state of a sink's deliveries; counts are since its start. Immutable.
 *
 * @param lostEvents accepted events that were lost: discarded for lack of space, refused, or
 *     undelivered at the end without a place to keep them
 * @param deliveredBlocks blocks and notices of loss that the other side has accepted
 * @param retries failed deliveries that were or will be retried
 * @param refusedBlocks blocks that the other side permanently refused
 * @param waitingBytes bytes of blocks that wait in memory for their delivery
 * @param spilledBytes bytes of blocks that wait on disk for their delivery
 * @param target the receiver of the events, as in "the log server at http://host:7340"; empty if
 *     the sink does not name it
 * @param lastFailure the reason of the last failed delivery, empty if there was none
 */
public record SinkStatistics(
    long lostEvents,
    long deliveredBlocks,
    long retries,
    long refusedBlocks,
    long waitingBytes,
    long spilledBytes,
    String target,
    String lastFailure) {
  /** The statistics of a sink that has lost nothing. */
  public static final SinkStatistics NONE = new SinkStatistics(0, 0, 0, 0, 0, 0, "", "");
}
