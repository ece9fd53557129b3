/**
 * Sources of events, and the facts about their completeness that an answer must state.
 *
 * <p>Hybrid logical clock stamps order all events so that every cause precedes its effects. The
 * events at or below any stamp are therefore a consistent cut, and a query over a range visits the
 * cuts of the range in the order of their stamps. A stamp is a cut of a query only if something
 * that the query uses changes there.
 *
 * <p>{@link io.retroscope.rql.cut.EventSource} is the only interface between queries and storage.
 * {@link io.retroscope.rql.cut.InMemoryEventSource} implements it for files, the log server's store
 * for its blocks. A walk describes the logs, variables and nodes that it uses as its {@link
 * io.retroscope.rql.cut.Interest}, so that a source can omit other events. Everything that may be
 * missing or wrong is an {@link io.retroscope.rql.cut.Incompleteness}.
 *
 * <p>The packages below use this one, and each other in this order:
 *
 * <ul>
 *   <li>{@code state}: the values of all nodes at one cut
 *   <li>{@code batch}: many cuts at once, and rules that pass over them
 *   <li>{@code presence}: which nodes are live, and which are silent
 *   <li>{@code walk}: the walk from cut to cut, which uses all of them
 * </ul>
 *
 * <p>A source and its open views are safe while events arrive. A faster source overrides the
 * default methods of {@code EventSource.View}; it must return the same state for every stamp.
 */
@NullMarked
package io.retroscope.rql.cut;

import org.jspecify.annotations.NullMarked;
