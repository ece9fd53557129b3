/** Measurements of files of events that are larger than the heap. */
@NullMarked
package io.retroscope.benchmarks.file;

import org.jspecify.annotations.NullMarked;
