/** Propagation of the clock in a header of HTTP requests and responses. */
@NullMarked
package io.retroscope.instrumentation.http;

import org.jspecify.annotations.NullMarked;
