package io.retroscope.server.api;

import java.time.Duration;

/**
 * How much the API does at a time.
 *
 * @param ingestCount batches that are read at the same time
 * @param queryCount historical queries that run at the same time
 * @param streamCount live queries that run at the same time
 * @param statementBytes the longest statement
 * @param queryTime how long a historical query may run
 * @param socketCount nodes that are connected at the same time
 * @param streamQueueBytes of memory for events that wait for one live client
 * @param streamPatience how long a live client may take nothing before it is cut off
 */
public record ApiLimits(
    int ingestCount,
    int queryCount,
    int streamCount,
    int socketCount,
    int statementBytes,
    Duration queryTime,
    long streamQueueBytes,
    Duration streamPatience) {
  /** What the server uses when nothing is configured. */
  public static final ApiLimits DEFAULT =
      new ApiLimits(
          4, 16, 64, 10_000, 1 << 20, Duration.ofMinutes(10), 8 << 20, Duration.ofSeconds(5));

  /** Checks that everything is positive. */
  public ApiLimits {
    if (ingestCount < 1
        || queryCount < 1
        || streamCount < 1
        || socketCount < 1
        || statementBytes < 1
        || streamQueueBytes < 1
        || queryTime.isNegative()
        || streamPatience.isNegative()) {
      throw new IllegalArgumentException("limits must be positive");
    }
  }
}
