package io.retroscope.server.kafka;

import java.util.Map;
import org.apache.kafka.common.Uuid;

/**
 * How a topic was when the broker was asked.
 *
 * @param id another one once the topic was deleted and made again
 * @param begins by partition, the first offset that is there
 * @param ends by partition, the offset of the next record
 * @param askedNanos before the broker was asked
 */
record TopicState(Uuid id, Map<Integer, Long> begins, Map<Integer, Long> ends, long askedNanos) {
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
