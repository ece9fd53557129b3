package io.retroscope.recorder;

import java.util.Map;

/**
 * A recorder as JMX shows it, under {@code io.retroscope:type=Recorder,node=<node>}; where two
 * recorders of one process have the same node, the second also has {@code incarnation=}.
 */
public interface RecorderMXBean {
  /** The node's name. */
  String getNode();

  /** Distinguishes this run of the node from its others. */
  String getIncarnation();

  /** {@link Recorder#health} in words. */
  String getHealth();

  /** {@link Recorder#statistics} by name; 1 is true. */
  Map<String, Long> getStatistics();
}
