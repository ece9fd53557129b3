/** Runs of the case, with both hooks, without faults, and with broken hooks. */
@NullMarked
package io.retroscope.examples.kafka;

import org.jspecify.annotations.NullMarked;
