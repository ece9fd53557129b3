/** Runs of the case: with faults, without, and with broken hooks. */
@NullMarked
package io.retroscope.examples.zerocopy;

import org.jspecify.annotations.NullMarked;
