/** Measures what questions read of a store on disk. */
@NullMarked
package io.retroscope.benchmarks.store;

import org.jspecify.annotations.NullMarked;
