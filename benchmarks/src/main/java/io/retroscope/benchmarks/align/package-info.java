/** Benchmarks of clock alignment. */
@NullMarked
package io.retroscope.benchmarks.align;

import org.jspecify.annotations.NullMarked;
