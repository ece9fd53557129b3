/** Measurements of the HTTP filter and client. */
@NullMarked
package io.retroscope.benchmarks.http;

import org.jspecify.annotations.NullMarked;
