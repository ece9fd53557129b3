/**
 * A Java agent that traces a ZooKeeper server: the transactions that it applies and proposes, and
 * the propagation of the clock between servers.
 */
@NullMarked
package io.retroscope.instrumentation.zookeeper;

import org.jspecify.annotations.NullMarked;
