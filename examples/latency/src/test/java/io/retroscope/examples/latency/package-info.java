/** Runs of the case and of the tester, with and without faults. */
@NullMarked
package io.retroscope.examples.latency;

import org.jspecify.annotations.NullMarked;
