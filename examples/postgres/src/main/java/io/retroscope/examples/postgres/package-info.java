/** A standby of PostgreSQL that is behind what the primary has acknowledged. */
@NullMarked
package io.retroscope.examples.postgres;

import org.jspecify.annotations.NullMarked;
