/** Propagation of the clock in the requests of OkHttp. */
@NullMarked
package io.retroscope.instrumentation.okhttp;

import org.jspecify.annotations.NullMarked;
