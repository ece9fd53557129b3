// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.api;

import io.retroscope.clock.PhysicalClock;
import io.retroscope.server.live.StreamingQuery;
import io.retroscope.server.memory.MemoryBudget;
import io.retroscope.server.metrics.Metrics;

/**
 * The parts of a server that the endpoint of live queries uses.
 *
 * @param following what the queries follow
 * @param memory the budget of the queues for clients
 */
record LiveParts(
    StreamingQuery.Parts following, MemoryBudget memory, PhysicalClock clock, Metrics metrics) {}
