/** Tests of the ZooKeeper agent's parts; whole traced ensembles are tested with the example. */
@NullMarked
package io.retroscope.instrumentation.zookeeper;

import org.jspecify.annotations.NullMarked;
