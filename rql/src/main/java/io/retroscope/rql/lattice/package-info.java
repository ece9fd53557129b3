/**
 * The detection of a predicate in the consistent cuts of an execution, whatever the clocks say.
 *
 * <p>A cut of the HLC order is one interleaving among those that messages allow. A cut is
 * consistent if it contains the send of each message whose receipt it contains. The consistent cuts
 * are a lattice, which R. Cooper and K. Marzullo, "Consistent detection of global predicates"
 * (1991), search for a cut that satisfies a predicate (POSSIBLY), or for an interleaving that
 * passes none (DEFINITELY). The lattice has up to mⁿ cuts for n nodes with m events each. V. K.
 * Garg and B. Waldecker, "Detection of weak unstable predicates in distributed programs" (1994) and
 * "Detection of strong unstable predicates in distributed programs" (1996), decide conjunctions of
 * tests of single nodes in O(n²m) steps.
 *
 * <p>{@code Computation} holds the states of each node, with vector clocks; {@code NormalForm}
 * finds the tests of single nodes in a predicate.
 */
@NullMarked
package io.retroscope.rql.lattice;

import org.jspecify.annotations.NullMarked;
