/** Formats of what commands print for users. */
@NullMarked
package io.retroscope.cli.print;

import org.jspecify.annotations.NullMarked;
