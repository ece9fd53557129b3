// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.cluster;

import java.util.Map;

/**
 * A request to walk a slice of a query over all partitions.
 *
 * @param topicId the identity of the topic, so that offsets of another one are not taken for its
 * @param ends of each partition the offset before which all records are needed
 * @param slice in the form of the engine
 */
@SuppressWarnings("ArrayRecordComponent") // Handed over without copying; never compared.
record SliceOpening(String topicId, Map<Integer, Long> ends, byte[] slice) {}
