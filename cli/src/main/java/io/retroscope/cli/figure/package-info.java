/** Line charts as self-contained SVG files. */
@NullMarked
package io.retroscope.cli.figure;

import org.jspecify.annotations.NullMarked;
