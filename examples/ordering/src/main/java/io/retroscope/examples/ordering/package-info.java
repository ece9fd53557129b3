/** Speculative Paxos on multicasts with different guarantees: do replicas execute in one order? */
@NullMarked
package io.retroscope.examples.ordering;

import org.jspecify.annotations.NullMarked;
