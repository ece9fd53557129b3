/** Paxos, PigPaxos, EPaxos and WPaxos on one message core: do their replicas agree? */
@NullMarked
package io.retroscope.examples.paxos;

import org.jspecify.annotations.NullMarked;
