/**
 * A Java agent that traces a ZooKeeper server: what it applies, what it proposes, and the clock
 * that travels between the servers.
 */
@NullMarked
package io.retroscope.instrumentation.zookeeper;

import org.jspecify.annotations.NullMarked;
