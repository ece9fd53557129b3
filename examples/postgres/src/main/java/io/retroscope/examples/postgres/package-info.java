/** A standby of PostgreSQL that returns less than the primary has acknowledged. */
@NullMarked
package io.retroscope.examples.postgres;

import org.jspecify.annotations.NullMarked;
