/** The metrics of a log server, by Micrometer. */
@NullMarked
package io.retroscope.server.metrics;

import org.jspecify.annotations.NullMarked;
