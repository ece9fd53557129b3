// SPDX-License-Identifier: Apache-2.0
/**
 * Stamps for events that were recorded without a hybrid logical clock.
 *
 * <p>{@link io.retroscope.recordings.replay.MessageSurvey} reads all readings once and finds the
 * messages between nodes; {@link io.retroscope.recordings.replay.ClockReplay} reads them again and
 * gives each event the stamp that the clock would have given it.
 */
@NullMarked
package io.retroscope.recordings.replay;

import org.jspecify.annotations.NullMarked;
