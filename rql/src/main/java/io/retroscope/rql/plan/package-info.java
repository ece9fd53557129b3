/** What a query will read and how it will be evaluated, as EXPLAIN prints it. */
@NullMarked
package io.retroscope.rql.plan;

import org.jspecify.annotations.NullMarked;
