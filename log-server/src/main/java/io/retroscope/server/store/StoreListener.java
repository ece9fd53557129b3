package io.retroscope.server.store;

import io.retroscope.event.EventBlock;
import java.util.Collection;

/** Hears of what was stored, on the store's writing thread: so it must be quick. */
public interface StoreListener {
  /** Blocks became visible. Quarantined events are not among them. */
  void stored(EventBlock block);

  /** Incarnations were heard from; their state is published already. */
  void heard(Collection<Incarnation> incarnations);
}
