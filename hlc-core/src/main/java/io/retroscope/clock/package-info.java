/** The hybrid logical clock, and the only reader of physical time. */
@NullMarked
package io.retroscope.clock;

import org.jspecify.annotations.NullMarked;
