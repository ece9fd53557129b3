/** Benchmarks of the hybrid logical clock in comparison with its physical clock. */
@NullMarked
package io.retroscope.benchmarks.clock;

import org.jspecify.annotations.NullMarked;
