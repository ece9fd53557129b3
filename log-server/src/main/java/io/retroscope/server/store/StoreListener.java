// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store;

import io.retroscope.event.EventBlock;
import io.retroscope.server.store.run.Incarnation;
import java.util.Collection;

/**
 * A listener for stored events. It is called on the store's writing thread and must return quickly.
 */
public interface StoreListener {
  /** Called when blocks become visible. Quarantined events are not among them. */
  void stored(EventBlock block);

  /** Called when incarnations have sent something; their state is already published. */
  void heard(Collection<Incarnation> incarnations);

  /** Called when all listeners have received what became visible together. */
  default void published() {}
}
