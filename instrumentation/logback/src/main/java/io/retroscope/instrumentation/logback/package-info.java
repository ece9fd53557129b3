/** Turns Logback's events into log lines of Retroscope. */
@NullMarked
package io.retroscope.instrumentation.logback;

import org.jspecify.annotations.NullMarked;
