/** Runs of the case: asynchronous, synchronous as control, and with a broken hook. */
@NullMarked
package io.retroscope.examples.postgres;

import org.jspecify.annotations.NullMarked;
