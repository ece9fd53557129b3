// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.api;

import java.time.Duration;

/**
 * The concurrency and size limits of the API.
 *
 * @param ingestCount batches that are decoded concurrently
 * @param queryCount concurrent historical queries
 * @param streamCount concurrent live queries, which share memory for their pending events
 * @param lineCount concurrent readers of log lines
 * @param statementBytes the longest statement
 * @param queryTime the longest duration of a historical query
 * @param socketCount concurrent connections of nodes
 * @param streamQueueBytes memory for pending events of one live client
 * @param streamPatience the longest time for which a live client may read nothing before it loses
 *     rows of history
 */
public record ApiLimits(
    int ingestCount,
    int queryCount,
    int streamCount,
    int lineCount,
    int socketCount,
    int statementBytes,
    Duration queryTime,
    long streamQueueBytes,
    Duration streamPatience) {
  /** The limits that the server uses if nothing is configured. */
  public static final ApiLimits DEFAULT =
      new ApiLimits(
          4,
          16,
          2_000,
          64,
          10_000,
          1 << 20,
          Duration.ofMinutes(10),
          8 << 20,
          Duration.ofSeconds(5));

  /** Checks that everything is positive. */
  public ApiLimits {
    if (ingestCount < 1
        || queryCount < 1
        || streamCount < 1
        || lineCount < 1
        || socketCount < 1
        || statementBytes < 1
        || streamQueueBytes < 1
        || queryTime.isNegative()
        || streamPatience.isNegative()) {
      throw new IllegalArgumentException("limits must be positive");
    }
  }
}
