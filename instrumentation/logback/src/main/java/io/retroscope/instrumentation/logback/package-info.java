/** Recording of Logback's events as log lines of Retroscope. */
@NullMarked
package io.retroscope.instrumentation.logback;

import org.jspecify.annotations.NullMarked;
