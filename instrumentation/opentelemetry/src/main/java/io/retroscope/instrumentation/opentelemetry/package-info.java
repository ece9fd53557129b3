/** Propagation of the clock beside the trace context, and stamps on spans and log records. */
@NullMarked
package io.retroscope.instrumentation.opentelemetry;

import org.jspecify.annotations.NullMarked;
