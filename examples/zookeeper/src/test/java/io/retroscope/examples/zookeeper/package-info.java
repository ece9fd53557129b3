/** Tests of the ensemble, of its agents' events, and of the demo, with real ZooKeeper servers. */
@NullMarked
package io.retroscope.examples.zookeeper;

import org.jspecify.annotations.NullMarked;
