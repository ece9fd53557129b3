/** How many cuts a second a question is decided in. */
@NullMarked
package io.retroscope.benchmarks.engine;

import org.jspecify.annotations.NullMarked;
