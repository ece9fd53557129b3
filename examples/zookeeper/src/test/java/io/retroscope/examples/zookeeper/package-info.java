/** Tests of the ensemble, of what its agents record, and of the demo, on real ZooKeeper servers. */
@NullMarked
package io.retroscope.examples.zookeeper;

import org.jspecify.annotations.NullMarked;
