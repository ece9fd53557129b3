/** Measurements of alerts. */
@NullMarked
package io.retroscope.benchmarks.alert;

import org.jspecify.annotations.NullMarked;
