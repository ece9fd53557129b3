// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.api;

import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.engine.QueryEngine;
import io.retroscope.server.lines.LineFollower;
import io.retroscope.server.live.StreamingQuery;
import io.retroscope.server.memory.MemoryBudget;
import io.retroscope.server.metrics.Metrics;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The parts of a server that the endpoints for readers use.
 *
 * @param source views of everything that was acknowledged
 * @param following what live queries follow
 * @param lines what followers of log lines follow
 * @param incompleteness why nothing can be followed yet, in one sentence; empty if it can
 * @param slowQuery the duration from which a query is logged
 */
record ReaderParts(
    EventSource source,
    QueryEngine engine,
    StreamingQuery.Parts following,
    LineFollower.Parts lines,
    Tiles tiles,
    Supplier<Optional<String>> incompleteness,
    MemoryBudget memory,
    Metrics metrics,
    Duration slowQuery) {}
