/** The log lines of all nodes, merged into one sequence by their aligned times. */
@NullMarked
package io.retroscope.server.lines;

import org.jspecify.annotations.NullMarked;
