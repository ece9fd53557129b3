// SPDX-License-Identifier: Apache-2.0
/**
 * Many cuts at once, and rules that pass over those at which nothing happens.
 *
 * <p>A {@link io.retroscope.rql.cut.batch.CutBatch} holds up to 1,024 rows as columns: for each
 * variable the numbers that they write, from which follow its values at each place ({@code
 * Series}), or bounds of all of them ({@code Range}). A {@link
 * io.retroscope.rql.cut.batch.QuietRule} is a predicate over these numbers. It shows that the
 * predicate is not TRUE and cannot fail, first within bounds and then place by place ({@link
 * io.retroscope.rql.cut.batch.BatchWalk}), for a whole block that is not read ({@link
 * io.retroscope.rql.cut.batch.QuietBlock}), or in the present state.
 *
 * <p>A rule only ever chooses the cuts that are evaluated, so one that knows nothing changes no
 * row. The page {@code docs/internals/walk.md} follows a batch from its fill to the next cut.
 */
@NullMarked
package io.retroscope.rql.cut.batch;

import org.jspecify.annotations.NullMarked;
