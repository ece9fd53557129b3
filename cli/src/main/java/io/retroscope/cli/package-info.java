/** The command {@code retroscope}: one class for each subcommand. */
@NullMarked
package io.retroscope.cli;

import org.jspecify.annotations.NullMarked;
