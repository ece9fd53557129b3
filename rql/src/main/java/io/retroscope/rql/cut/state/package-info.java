// SPDX-License-Identifier: Apache-2.0
/**
 * The values of the followed variables at every node, at one cut.
 *
 * <p>{@link io.retroscope.rql.cut.state.CutState} applies rows in the order of their stamps, those
 * of equal stamps together, because they are concurrent. It consists of one {@link
 * io.retroscope.rql.cut.state.VariableColumn} per followed variable, indexed by the ids of a {@link
 * io.retroscope.rql.cut.state.NodeTable}. Nearly each LONG, DOUBLE, BOOLEAN and STRING has a number
 * that is equal for equal values of its type, and that keeps their order unless they are STRINGs
 * ({@link io.retroscope.rql.cut.state.ValuePacking}). So comparisons and extremes exist once for
 * all types, and a LONG is copied from the block's column without an object in between. The names
 * of a block are resolved once ({@link io.retroscope.rql.cut.state.BlockNames}). Values of log
 * lines and messages hold at exactly their own stamp.
 *
 * <p>{@link io.retroscope.rql.cut.state.StartState} finds the few events that determine the state
 * before a range.
 *
 * <p>An event that cannot be applied changes nothing, and is reported as a warning. A state belongs
 * to one thread. A new kind of event is applied in {@code CutState.apply}; {@code
 * CutState.concerns} decides whether an event concerns a query.
 */
@NullMarked
package io.retroscope.rql.cut.state;

import org.jspecify.annotations.NullMarked;
