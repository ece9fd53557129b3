/**
 * Documents of other programs: traces, histories of tests and series of metrics.
 *
 * <p>Each reader makes {@link io.retroscope.rql.document.Span}s, {@link
 * io.retroscope.rql.document.LogRecord}s or {@link io.retroscope.rql.replay.ClockReading}s; {@link
 * io.retroscope.rql.document.SpanTimeline} is the only conversion of spans into events.
 */
@NullMarked
package io.retroscope.rql.document;

import org.jspecify.annotations.NullMarked;
