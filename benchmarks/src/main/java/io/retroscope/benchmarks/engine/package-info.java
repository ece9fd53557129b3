/** Benchmarks of queries, in cuts per second. */
@NullMarked
package io.retroscope.benchmarks.engine;

import org.jspecify.annotations.NullMarked;
