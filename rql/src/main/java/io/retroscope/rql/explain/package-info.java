/**
 * The explanation of a cut: the values on which a predicate rests there, the events that caused
 * them, and what their order rests on.
 */
@NullMarked
package io.retroscope.rql.explain;

import org.jspecify.annotations.NullMarked;
