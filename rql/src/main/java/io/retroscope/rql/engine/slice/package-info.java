// SPDX-License-Identifier: Apache-2.0
/**
 * Long history that is walked in slices: by several threads, and by other processes.
 *
 * <p>A slice is a part of a query's range. {@code SliceWalk} walks one in a state of its own,
 * without knowing the runs of the slices before it. So what it finds is not a row but a {@link
 * io.retroscope.rql.engine.slice.SliceItem}: WHEN holds here, it may have held already. A {@link
 * io.retroscope.rql.engine.slice.SliceReceiver} takes the items of all slices in order, and joins
 * them to the runs of the query.
 *
 * <pre>
 *   SliceWalk   -&gt; SliceFeed -&gt; SliceQueue -&gt; SliceReceiver    another thread of this process
 *   SliceAnswer -&gt; SliceRelay -&gt; SliceFeed -&gt; SliceQueue ...   another process
 * </pre>
 *
 * <p>{@link io.retroscope.rql.engine.slice.SlicedHistory} claims slices, starts helpers as far as
 * {@code SliceThreads} has any, and sends a {@code SliceRequest} to each process that has the
 * events. What waits is bounded in bytes. If a process fails, the rest of its slice is walked here.
 *
 * <p>The rows are those of one walk over the whole range, whatever the slices, the threads and the
 * processes. Bytes from outside ({@code SliceBytes}) are not trusted.
 */
@NullMarked
package io.retroscope.rql.engine.slice;

import org.jspecify.annotations.NullMarked;
