/** Line charts as self-contained SVG files. */
@NullMarked
package io.retroscope.examples.simulate.figure;

import org.jspecify.annotations.NullMarked;
