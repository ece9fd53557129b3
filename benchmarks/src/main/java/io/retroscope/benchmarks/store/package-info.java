/** Measurements of queries on a store on disk. */
@NullMarked
package io.retroscope.benchmarks.store;

import org.jspecify.annotations.NullMarked;
