/** Propagation of the clock in the requests of Apache HttpClient 5. */
@NullMarked
package io.retroscope.instrumentation.apache5;

import org.jspecify.annotations.NullMarked;
