/**
 * The plan of a query, as EXPLAIN prints it: the data that it reads and the way it is evaluated.
 */
@NullMarked
package io.retroscope.rql.plan;

import org.jspecify.annotations.NullMarked;
