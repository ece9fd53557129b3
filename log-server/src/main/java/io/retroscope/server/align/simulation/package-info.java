/** Experiments on simulated clocks and messages, which the estimator itself is run on. */
@NullMarked
package io.retroscope.server.align.simulation;

import org.jspecify.annotations.NullMarked;
