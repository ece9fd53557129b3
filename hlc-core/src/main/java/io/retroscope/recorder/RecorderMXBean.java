// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recorder;

import java.util.Map;

/**
 * The JMX view of a recorder, registered as {@code io.retroscope:type=Recorder,node=<node>}; if two
 * recorders of one process have the same node, the second one's name also has {@code incarnation=}.
 * Thread-safe.
 */
public interface RecorderMXBean {
  /** The node's name. */
  String getNode();

  /** An identifier of this run of the node. */
  String getIncarnation();

  /** A description of {@link Recorder#health}. */
  String getHealth();

  /** The {@link Recorder#statistics} by name; true is 1. */
  Map<String, Long> getStatistics();
}
