/**
 * The execution of an outer query: the rows of its inner query are filtered, grouped and sorted.
 */
@NullMarked
package io.retroscope.rql.outer;

import org.jspecify.annotations.NullMarked;
