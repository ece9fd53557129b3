/** Runs statements over an {@code EventSource} and hands out rows. */
@NullMarked
package io.retroscope.rql.engine;

import org.jspecify.annotations.NullMarked;
