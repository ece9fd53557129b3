// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recorder;

/**
 * The outcomes of the calls to a recorder, in events since its start, and its current backlog.
 * Taken without blocking other threads, so the numbers may be slightly inconsistent.
 *
 * @param recorded events passed to the sink, including repairs, start and stop
 * @param dropped events that found the ring full
 * @param abandoned events whose writer claimed a slot and did not publish it in time
 * @param refused events that could not be recorded unchanged: a null or overlong name, too large a
 *     value
 * @param truncated texts that were truncated to the limit
 * @param repaired variables whose last dropped value was recorded again
 * @param unrepaired dropped changes that exceeded the bounded memory for repairs
 * @param afterClose events after {@code close()}, or of a recorder that cannot record
 * @param lostBySink events in blocks that the sink did not accept, or accepted and lost
 * @param missed events that an integration failed to record, as reported by {@link Recorder#missed}
 * @param deliveredBlocks blocks and notices of loss that the sink has delivered
 * @param retries failed deliveries of the sink that were or will be retried
 * @param refusedBlocks blocks that the log server permanently refused
 * @param boundFailures failures to store the clock's restart bound
 * @param boundAtRisk whether stamps have been given out above the currently stored restart bound:
 *     if the process ended now, stamps of the next run might be below them
 * @param untrusted requests whose stamp was not followed because their {@link Ingress} is not
 *     trusted; they are not recorded
 * @param refusedStamps received stamps too far ahead of the own clock that were refused
 * @param clampedStamps received stamps too far ahead that were followed up to the limit only
 * @param followedStamps received stamps too far ahead that were followed all the same
 * @param lostByError recorded events that were lost, before they reached the sink, because of an
 *     error in the recorder itself, such as an OutOfMemoryError
 * @param waiting events that wait in the ring now; 0 if nothing is recorded
 * @param waitingBytes bytes of blocks that wait in memory now, to be delivered by the sink
 * @param spilledBytes bytes of blocks that wait in the state directory now
 */
public record RecorderStatistics(
    long recorded,
    long dropped,
    long abandoned,
    long refused,
    long truncated,
    long repaired,
    long unrepaired,
    long afterClose,
    long lostBySink,
    long missed,
    long deliveredBlocks,
    long retries,
    long refusedBlocks,
    long boundFailures,
    boolean boundAtRisk,
    long untrusted,
    long refusedStamps,
    long clampedStamps,
    long followedStamps,
    long lostByError,
    long waiting,
    long waitingBytes,
    long spilledBytes) {}
