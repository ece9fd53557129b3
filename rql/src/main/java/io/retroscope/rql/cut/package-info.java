/**
 * Consistent cuts: the state of all nodes at one stamp, and the walk from cut to cut.
 *
 * <p>Hybrid logical clock stamps order all events so that every cause precedes its effects. The
 * events at or below any stamp are therefore a consistent cut, and a query over a range visits the
 * cuts of the range in the order of their stamps. A stamp is a cut of a query only if something
 * that the query uses changes there.
 *
 * <p>{@link io.retroscope.rql.cut.CutWalker} performs the walk. It reads rows of blocks from a view
 * of an {@link io.retroscope.rql.cut.EventSource}, applies all rows of one stamp to a {@link
 * io.retroscope.rql.cut.CutState}, and then calls its {@link io.retroscope.rql.cut.CutListener}.
 * The names of a block are resolved once ({@code BlockNames}), and a LONG is copied from the
 * block's column to that of the state, without an object in between. The state consists of one
 * {@link io.retroscope.rql.cut.VariableColumn} per followed variable, indexed by the ids of a
 * {@link io.retroscope.rql.cut.NodeTable}. Values of log lines and messages hold at exactly their
 * own stamp ({@link io.retroscope.rql.cut.MomentaryVariables}). Time alone can also make a cut:
 * {@link io.retroscope.rql.cut.LiveNodes} removes silent nodes, and {@link
 * io.retroscope.rql.cut.CutTimers} fire when a comparison of an age changes.
 *
 * <p>A {@link io.retroscope.rql.cut.QuietRule} shows from the columns that a predicate is not TRUE
 * and cannot fail. The walk then passes over cuts of a {@link io.retroscope.rql.cut.CutBatch}
 * without its listener ({@code BatchWalk}), and over blocks without reading them ({@code
 * QuietBlock}). Every other cut is evaluated, so a rule that knows nothing changes no row.
 *
 * <p>{@code EventSource} is the only interface between queries and storage. {@link
 * io.retroscope.rql.cut.InMemoryEventSource} implements it for files, the log server's store for
 * its blocks. A walk describes the logs, variables and nodes that it uses as its {@link
 * io.retroscope.rql.cut.Interest}, so that a source can omit other events.
 *
 * <p>Invariants:
 *
 * <ul>
 *   <li>Events are applied in the order of their stamps, those of equal stamps together, because
 *       they are concurrent.
 *   <li>The result does not depend on how a range is divided into advances. History and live
 *       queries share this walk.
 *   <li>An event that cannot be applied changes nothing, and is reported as a warning.
 *   <li>A state and its columns belong to one thread. A source and its open views are safe while
 *       events arrive.
 * </ul>
 *
 * <p>A new kind of event is applied in {@code CutState.apply}; {@code CutState.concerns} decides
 * whether an event concerns a query. A faster source overrides the default methods of {@code
 * EventSource.View}; it must return the same state for every stamp.
 */
@NullMarked
package io.retroscope.rql.cut;

import org.jspecify.annotations.NullMarked;
