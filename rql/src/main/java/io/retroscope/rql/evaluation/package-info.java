/** Expressions as evaluators over the state of one cut. */
@NullMarked
package io.retroscope.rql.evaluation;

import org.jspecify.annotations.NullMarked;
