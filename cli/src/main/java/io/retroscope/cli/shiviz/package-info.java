/** Import and export of ShiViz logs: vector clocks to HLC stamps and back. */
@NullMarked
package io.retroscope.cli.shiviz;

import org.jspecify.annotations.NullMarked;
