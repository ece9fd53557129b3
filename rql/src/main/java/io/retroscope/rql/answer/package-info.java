/** The parts of an answer: its columns, rows, notes and warnings, and the sink that takes them. */
@NullMarked
package io.retroscope.rql.answer;

import org.jspecify.annotations.NullMarked;
