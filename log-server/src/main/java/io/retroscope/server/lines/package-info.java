/**
 * The log lines of all nodes, merged into one sequence by their aligned times. {@code LineRequest}
 * selects lines, {@code LineHistory} and {@code LineFollower} return stored and new ones, and
 * {@code LineMerge} determines their order.
 */
@NullMarked
package io.retroscope.server.lines;

import org.jspecify.annotations.NullMarked;
