// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store;

import io.retroscope.server.store.disk.StoreException;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiPredicate;

/** The durable records about alerts, which {@code server.alert} writes and reads. Thread-safe. */
public interface AlertRecords {
  /**
   * Writes records, all or none of them, so that they survive a crash.
   *
   * @param records the new values by their keys; empty for a record that is removed
   * @throws StoreException if that is not possible
   * @throws StoreBusyException if the backlog is full
   */
  void putAlerts(Map<String, Optional<byte[]>> records);

  /**
   * Checks that no other process has taken over the writing, so that receivers get nothing that is
   * out of date.
   *
   * @throws StoreException if one has, or that is not known
   */
  default void confirm() {}

  /** Whether nothing can be written here any more, because another process may do that now. */
  default boolean hasEnded() {
    return false;
  }

  /**
   * Passes the records whose keys begin with a prefix to a visitor, in the order of the keys'
   * bytes, until it returns false.
   *
   * @param first the lowest key that is passed
   * @throws StoreException if they cannot be read
   */
  void readAlerts(String prefix, String first, BiPredicate<String, byte[]> visitor);
}
