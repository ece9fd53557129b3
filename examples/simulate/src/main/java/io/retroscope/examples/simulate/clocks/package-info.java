/**
 * Experiments that feed simulated clocks and messages to the estimator.
 *
 * <p>Units: the rigid model and the guesses about it ({@code RigidModel}, {@code RigidRun}, {@code
 * Guess}, {@code ErrorSummary}) count clocks, stamps, offsets and delays in ticks, and their errors
 * are shares of the true offset. All others use microseconds, milliseconds, seconds or parts per
 * million, as their names say. {@code rate} is a ratio.
 */
@NullMarked
package io.retroscope.examples.simulate.clocks;

import org.jspecify.annotations.NullMarked;
