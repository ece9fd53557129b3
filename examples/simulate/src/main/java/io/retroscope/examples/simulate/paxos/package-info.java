/** Models of the latency and capacity of Paxos and its relatives, by published parameters. */
@NullMarked
package io.retroscope.examples.simulate.paxos;

import org.jspecify.annotations.NullMarked;
