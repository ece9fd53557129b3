/** Stress tests of the clock. */
@NullMarked
package io.retroscope.clock;

import org.jspecify.annotations.NullMarked;
