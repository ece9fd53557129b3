// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.cluster;

import io.retroscope.clock.HlcTimestamp;

/**
 * The state of a partition's evidence about clocks.
 *
 * @param of identifies the copy of the partition; two copies may have chosen other events
 * @param version changes with the evidence
 * @param isWhole whether it covers all stored events
 * @param sampledHlc packed; up to this stamp, some messages are left out
 */
record EvidenceMark(long of, long version, boolean isWhole, long sampledHlc) {
  /** The state of a partition without events. */
  static final EvidenceMark NONE = new EvidenceMark(0, 0, true, HlcTimestamp.MIN_PACKED);
}
