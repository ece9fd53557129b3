/** Gives every name its meaning and refuses what cannot be evaluated, before a query runs. */
@NullMarked
package io.retroscope.rql.analysis;

import org.jspecify.annotations.NullMarked;
