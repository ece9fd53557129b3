/** The extension of OpenTelemetry's Java agent. */
@NullMarked
package io.retroscope.instrumentation.otelagent;

import org.jspecify.annotations.NullMarked;
