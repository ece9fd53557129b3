/**
 * The walk from cut to cut.
 *
 * <p>{@link io.retroscope.rql.cut.walk.CutWalker} reads rows from a view of a source, applies all
 * rows of one stamp to a {@link io.retroscope.rql.cut.state.CutState}, and then calls its {@link
 * io.retroscope.rql.cut.walk.CutListener}. If the listener has a {@link
 * io.retroscope.rql.cut.batch.QuietRule}, the walk passes over cuts and blocks without it. Time
 * alone can also make a cut: when a node falls silent, and when a comparison of an age changes
 * ({@link io.retroscope.rql.cut.state.CutTimers}).
 *
 * <p>The result does not depend on how a range is divided into advances. History and live queries
 * share this walk.
 */
@NullMarked
package io.retroscope.rql.cut.walk;

import org.jspecify.annotations.NullMarked;
