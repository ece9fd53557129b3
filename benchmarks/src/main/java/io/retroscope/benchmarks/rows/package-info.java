/** Benchmarks of the reading of events and the writing of rows. */
@NullMarked
package io.retroscope.benchmarks.rows;

import org.jspecify.annotations.NullMarked;
