// SPDX-License-Identifier: Apache-2.0
/**
 * Documents of other programs: traces, histories of tests and series of metrics.
 *
 * <p>Each reader makes {@link io.retroscope.recordings.document.Span}s, {@link
 * io.retroscope.recordings.document.LogRecord}s or {@link
 * io.retroscope.recordings.replay.ClockReading}s; {@link
 * io.retroscope.recordings.document.SpanTimeline} is the only conversion of spans into events.
 */
@NullMarked
package io.retroscope.recordings.document;

import org.jspecify.annotations.NullMarked;
