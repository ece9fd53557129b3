// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.cluster;

/**
 * A request to open a reading of a partition that contains at least its records before an offset.
 *
 * @param topicId the identity of the topic, so that an offset of another one is not taken for it
 */
record Opening(String topicId, int partition, long offset) {}
