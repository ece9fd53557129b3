/** Runs of the case: with pauses, without as control, and with a broken hook. */
@NullMarked
package io.retroscope.examples.redis;

import org.jspecify.annotations.NullMarked;
