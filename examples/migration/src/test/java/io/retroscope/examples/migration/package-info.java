/** Runs of the case: with users that move, without, and with a broken hook. */
@NullMarked
package io.retroscope.examples.migration;

import org.jspecify.annotations.NullMarked;
