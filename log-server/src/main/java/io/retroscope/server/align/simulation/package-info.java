/** Experiments that feed simulated clocks and messages to the estimator. */
@NullMarked
package io.retroscope.server.align.simulation;

import org.jspecify.annotations.NullMarked;
