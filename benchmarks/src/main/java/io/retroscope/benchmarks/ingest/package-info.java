/** Measurements of complete paths of events into a log server. */
@NullMarked
package io.retroscope.benchmarks.ingest;

import org.jspecify.annotations.NullMarked;
