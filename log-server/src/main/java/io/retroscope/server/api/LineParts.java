// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.api;

import io.retroscope.rql.cut.EventSource;
import io.retroscope.server.lines.LineFollower;
import io.retroscope.server.metrics.Metrics;

/**
 * The parts of a server that the endpoint of log lines uses.
 *
 * @param source views of everything that was acknowledged
 */
record LineParts(EventSource source, LineFollower.Parts following, Metrics metrics) {}
