/** The hybrid logical clock and the one reader of physical time beneath it. */
@NullMarked
package io.retroscope.clock;

import org.jspecify.annotations.NullMarked;
