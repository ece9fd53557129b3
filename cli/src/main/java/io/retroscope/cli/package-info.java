/** The command {@code retroscope}: its start, and its end with an exit code. */
@NullMarked
package io.retroscope.cli;

import org.jspecify.annotations.NullMarked;
