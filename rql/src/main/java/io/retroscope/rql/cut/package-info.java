/** Consistent cuts: what a walk asks of storage, and the state that it keeps. */
@NullMarked
package io.retroscope.rql.cut;

import org.jspecify.annotations.NullMarked;
