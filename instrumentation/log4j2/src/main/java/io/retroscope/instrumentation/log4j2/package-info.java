/** Recording of Log4j2's events as log lines of Retroscope. */
@NullMarked
package io.retroscope.instrumentation.log4j2;

import org.jspecify.annotations.NullMarked;
