/** Fuzzers of what strangers send: blocks, lines of events, statements, requests. */
@NullMarked
package io.retroscope.fuzz;

import org.jspecify.annotations.NullMarked;
