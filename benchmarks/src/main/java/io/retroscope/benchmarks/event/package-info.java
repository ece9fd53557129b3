/** What it costs to turn blocks into bytes and back. */
@NullMarked
package io.retroscope.benchmarks.event;

import org.jspecify.annotations.NullMarked;
