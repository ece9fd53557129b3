// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.api;

import io.retroscope.clock.PhysicalClock;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.server.live.MonotonicClock;
import io.retroscope.server.live.WatermarkTracker;
import io.retroscope.server.metrics.Metrics;
import io.retroscope.server.store.EventStore;
import java.util.Optional;

/**
 * The parts of a server that the endpoint of log lines uses.
 *
 * @param store whose new lines can be followed; empty if the events are at several servers
 */
record LineParts(
    Optional<EventStore> store,
    EventSource source,
    WatermarkTracker watermarks,
    PhysicalClock clock,
    MonotonicClock monotonicClock,
    Metrics metrics) {}
