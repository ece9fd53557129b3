/** A group of Apache Ratis whose leader is stopped: two leaders at once, in different terms. */
@NullMarked
package io.retroscope.examples.raft;

import org.jspecify.annotations.NullMarked;
