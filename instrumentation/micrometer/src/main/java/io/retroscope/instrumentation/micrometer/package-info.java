/** Meters of a recorder for Micrometer. */
@NullMarked
package io.retroscope.instrumentation.micrometer;

import org.jspecify.annotations.NullMarked;
