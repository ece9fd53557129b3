/** Benchmarks of encoding and decoding blocks. */
@NullMarked
package io.retroscope.benchmarks.event;

import org.jspecify.annotations.NullMarked;
