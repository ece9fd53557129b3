/**
 * The metrics of a log server, exported with Micrometer. {@code Count}, {@code Latency} and {@code
 * Reading} list them; {@code Metrics} records and exports them.
 */
@NullMarked
package io.retroscope.server.metrics;

import org.jspecify.annotations.NullMarked;
