/** Runs of the case: with a zone that fails, without, and with broken hooks. */
@NullMarked
package io.retroscope.examples.paxos;

import org.jspecify.annotations.NullMarked;
