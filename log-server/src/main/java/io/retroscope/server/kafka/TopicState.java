// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.kafka;

import java.util.Map;
import org.apache.kafka.common.Uuid;

/**
 * The state of a topic at the time of a query.
 *
 * @param id changes if the topic is deleted and created again
 * @param begins by partition, the first available offset
 * @param ends by partition, the offset of the next record
 * @param queriedNanos the instant before the query
 */
record TopicState(Uuid id, Map<Integer, Long> begins, Map<Integer, Long> ends, long queriedNanos) {
  TopicState {
    begins = Map.copyOf(begins);
    ends = Map.copyOf(ends);
  }

  long begin(int partition) {
    return begins.getOrDefault(partition, 0L);
  }

  long end(int partition) {
    return ends.getOrDefault(partition, 0L);
  }
}
