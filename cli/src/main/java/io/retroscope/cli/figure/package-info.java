/** Line charts as SVG files that need nothing else to be looked at. */
@NullMarked
package io.retroscope.cli.figure;

import org.jspecify.annotations.NullMarked;
