// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.cluster;

import java.util.Map;

/**
 * A request to walk a slice of a query over all partitions.
 *
 * @param topicId the identity of the topic, so that offsets of another one are not taken for its
 * @param parts the exact contents of each partition
 * @param slice in the form of the engine
 */
@SuppressWarnings("ArrayRecordComponent") // Handed over without copying; never compared.
record SliceOpening(String topicId, Map<Integer, Content> parts, byte[] slice) {
  /**
   * The events of a view of a partition.
   *
   * @param end the offset before which exactly all records are contained; {@link
   *     PartView.Facts#NO_OFFSET} if that is not known
   * @param removedHlc packed, the last stamp up to which retention had removed events
   */
  record Content(long end, long removedHlc) {}
}
