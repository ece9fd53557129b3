/** Runs of the case: asynchronous, synchronous as control, and with a broken hook. */
@NullMarked
package io.retroscope.examples.infinispan;

import org.jspecify.annotations.NullMarked;
