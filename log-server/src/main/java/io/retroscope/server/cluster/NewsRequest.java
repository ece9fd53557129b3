// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.cluster;

import java.util.List;

/**
 * A request for the news of partitions.
 *
 * @param topicId the identity of the topic, so that an offset of another one is not taken for it
 * @param waitMillis how long to wait for any
 * @param listens whether anything is followed at the requesting server, so that nodes should send
 *     without delay
 */
record NewsRequest(String topicId, List<Known> known, long waitMillis, boolean listens) {
  /** Copies the list. */
  NewsRequest {
    known = List.copyOf(known);
  }

  /**
   * What is known of a partition.
   *
   * @param feed of the store that the last news were from; 0 if there were none
   * @param number of the last news of that store
   * @param offset all records before it are known
   */
  record Known(int partition, long feed, long number, long offset) {}
}
