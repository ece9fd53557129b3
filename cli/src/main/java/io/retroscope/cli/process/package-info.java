/** The process of a command: its standard streams and its exit code. */
@NullMarked
package io.retroscope.cli.process;

import org.jspecify.annotations.NullMarked;
