// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.cluster;

import java.util.List;
import java.util.Map;

/**
 * A request to walk a slice of a query over all partitions.
 *
 * @param topicId the identity of the topic, so that offsets of another one are not taken for its
 * @param ends of each partition the offset before which exactly all records are needed
 * @param removed of each partition the last stamp, packed, up to which retention had removed events
 * @param slice in the form of the engine
 */
@SuppressWarnings("ArrayRecordComponent") // Handed over without copying; never compared.
record SliceOpening(String topicId, Map<Integer, Long> ends, List<Long> removed, byte[] slice) {}
