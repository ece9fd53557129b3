// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.cluster;

import java.time.Duration;

/**
 * A request to open a reading of a partition that contains at least its records before an offset.
 *
 * @param topicId the identity of the topic, so that an offset of another one is not taken for it
 * @param waitMillis how long to wait for records that are not stored yet
 */
record Opening(String topicId, int partition, long offset, long waitMillis) {
  /** The longest wait, within the time for one server to answer. */
  static final long MAX_WAIT_MILLIS = 500;

  /** The same opening with a wait, at most the longest one. */
  Opening waiting(Duration patience) {
    long millis = Math.min(MAX_WAIT_MILLIS, patience.toMillis());
    return new Opening(topicId, partition, offset, millis);
  }
}
