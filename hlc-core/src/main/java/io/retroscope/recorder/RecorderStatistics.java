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
 * @param afterClose came after {@code close()}
 * @param lostBySink in blocks that the sink did not take
 * @param missed reported by {@link Recorder#missed}: an integration failed to record them
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
    long missed) {}
