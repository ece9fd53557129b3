/** The subcommands, one class for each. */
@NullMarked
package io.retroscope.cli.command;

import org.jspecify.annotations.NullMarked;
