/**
 * The parts of a result: its columns, rows, notes and warnings, and the sink that receives them.
 */
@NullMarked
package io.retroscope.rql.answer;

import org.jspecify.annotations.NullMarked;
