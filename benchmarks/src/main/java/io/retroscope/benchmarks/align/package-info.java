/** What lining clocks up costs. */
@NullMarked
package io.retroscope.benchmarks.align;

import org.jspecify.annotations.NullMarked;
