// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.cluster;

import io.retroscope.server.store.QuarantineAccess.QuarantinedEvents;
import io.retroscope.server.store.Receipt;
import java.util.List;
import java.util.Map;

/**
 * The quarantine of a partition.
 *
 * @param receipts the results of the latest releases and purges, by the offsets of their directives
 */
record PartQuarantine(List<QuarantinedEvents> events, Map<Long, Receipt> receipts) {}
