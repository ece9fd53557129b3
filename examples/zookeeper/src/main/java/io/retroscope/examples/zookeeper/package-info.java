/**
 * A traced ZooKeeper ensemble: its servers, a slow link, a workload, and the demo that uses them.
 */
@NullMarked
package io.retroscope.examples.zookeeper;

import org.jspecify.annotations.NullMarked;
