/** Propagation of the clock in comments of SQL statements. */
@NullMarked
package io.retroscope.instrumentation.jdbc;

import org.jspecify.annotations.NullMarked;
