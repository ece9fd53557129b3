/**
 * The runs of nodes, and the times at which nodes were heard from.
 *
 * <p>A node that starts anew begins another run, an {@link
 * io.retroscope.server.store.run.Incarnation}. Its state says which numbers of blocks and events
 * have come, how far it is complete, and when it ended. {@link
 * io.retroscope.server.store.run.Lifetimes} are the stretches in which a node was heard from, which
 * a query needs for live nodes and silence. All of them are immutable or copied on write, so that a
 * view of the store needs no lock.
 */
@NullMarked
package io.retroscope.server.store.run;

import org.jspecify.annotations.NullMarked;
