/** What the hybrid logical clock costs beside the physical clock beneath it. */
@NullMarked
package io.retroscope.benchmarks.clock;

import org.jspecify.annotations.NullMarked;
