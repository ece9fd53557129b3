// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.api;

import io.retroscope.server.live.MonotonicClock;
import io.retroscope.server.memory.MemoryBudget;
import io.retroscope.server.metrics.Metrics;
import io.retroscope.server.store.EventIntake;

/**
 * The parts of a server that the endpoints for senders use.
 *
 * @param intake where events become durable
 * @param memory the budget of what waits for that
 */
record SenderParts(
    EventIntake intake, MemoryBudget memory, MonotonicClock clock, Metrics metrics) {}
