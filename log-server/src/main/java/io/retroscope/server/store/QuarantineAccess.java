// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store;

import io.retroscope.server.store.disk.StoreException;
import java.util.List;

/**
 * The events that are in quarantine because their stamps are too far in the future. Thread-safe.
 */
public interface QuarantineAccess {
  /** The quarantined events, those of a node in order of arrival. */
  List<QuarantinedEvents> quarantined();

  /**
   * Stores quarantined events whatever the clock's reading. Events that contradict stored ones stay
   * in quarantine.
   *
   * @return the stored events as accepted, those that were stored already as duplicates, and
   *     contradicting ones as quarantined
   * @throws StoreException if that is not possible; events released before stay released
   */
  Receipt releaseQuarantined(QuarantineSelection selection);

  /**
   * Deletes quarantined events.
   *
   * @return the number of deleted events as accepted
   * @throws StoreException if that is not possible; events deleted before stay deleted
   */
  Receipt purgeQuarantined(QuarantineSelection selection);

  /**
   * Quarantined events of one node that arrived together.
   *
   * @param firstHlc packed, the lowest stamp
   * @param lastHlc packed, the highest stamp
   */
  record QuarantinedEvents(String node, long eventCount, long firstHlc, long lastHlc) {}
}
