/**
 * Benchmarks of recording: the cost for the recording thread, the sustained rate, and the idle
 * cost.
 */
@NullMarked
package io.retroscope.benchmarks.recorder;

import org.jspecify.annotations.NullMarked;
