package io.retroscope.recorder;

/**
 * What became of the calls to a recorder, in events since its start. Taken without stopping anyone,
 * so the numbers may be a moment apart.
 *
 * @param recorded handed to the sink; repairs, start and stop included
 * @param dropped found the ring full
 * @param abandoned claimed a slot and were not done with it in time
 * @param refused could not be recorded as they were: a null or overlong name, too large a value
 * @param truncated texts that were cut to the limit
 * @param repaired variables whose last dropped value was recorded again
 * @param unrepaired dropped changes that the bounded memory for repairs had no room for
 * @param afterClose came after {@code close()}, or to a recorder that cannot record
 * @param lostBySink in blocks that the sink did not take, or took and lost
 * @param missed reported by {@link Recorder#missed}: an integration failed to record them
 * @param retries deliveries of the sink that failed and were or will be repeated
 * @param refusedBlocks blocks that the log server refused for good
 * @param boundFailures times that the clock's restart bound could not be stored
 * @param boundAtRisk whether stamps have been given out above the restart bound that is stored now:
 *     if the process ended now, stamps of the next run might be below them
 * @param untrusted requests whose stamp was not followed because their {@link Ingress} is not
 *     trusted; they are not recorded
 * @param lostByError recorded, and lost by an error of the recorder itself, such as an
 *     OutOfMemoryError, before they reached the sink
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
    long retries,
    long refusedBlocks,
    long boundFailures,
    boolean boundAtRisk,
    long untrusted,
    long lostByError) {}
