// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.api;

import io.retroscope.clock.PhysicalClock;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.server.health.Health;
import io.retroscope.server.live.WatermarkTracker;
import io.retroscope.server.memory.MemoryBudget;
import io.retroscope.server.metrics.Metrics;
import io.retroscope.server.store.EventStore.Doubts;
import io.retroscope.server.store.EventStore.Figures;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * The parts of a server that the endpoints for its state use.
 *
 * @param figures of the stores in this process
 * @param doubts the numbers of all nodes; throws a {@code StoreException} at once if they are not
 *     known
 * @param losses sentences about lost stored events in this process
 * @param rejected the number of inputs that are kept because they cannot be stored
 */
record StatusParts(
    EventSource source,
    WatermarkTracker watermarks,
    Health health,
    PhysicalClock clock,
    Metrics metrics,
    MemoryBudget memory,
    Supplier<Figures> figures,
    Supplier<Doubts> doubts,
    Supplier<List<String>> losses,
    LongSupplier rejected) {}
