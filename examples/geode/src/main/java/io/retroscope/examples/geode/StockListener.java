// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.geode;

import io.retroscope.recorder.EventLog;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.apache.geode.cache.EntryEvent;
import org.apache.geode.cache.util.CacheListenerAdapter;
import org.apache.geode.internal.cache.EntryEventImpl;
import org.apache.geode.internal.cache.InternalRegion;
import org.apache.geode.internal.cache.RegionEntry;

/**
 * The hook of a replica: records version and value of an entry whenever it has changed.
 * Thread-safe.
 *
 * <p>Geode calls listeners after it has released the entry, so that two calls may be in the wrong
 * order. This records the entry itself, while it is locked, not the event.
 */
final class StockListener extends CacheListenerAdapter<String, String> {
  private final EventLog log;
  private final Stamps stamps;

  /* Guarded by itself. */
  private final List<Integer> ownVersions = new ArrayList<>();

  StockListener(EventLog log, Stamps stamps) {
    this.log = log;
    this.stamps = stamps;
  }

  @Override
  public void afterCreate(EntryEvent<String, String> event) {
    changed(event);
  }

  @Override
  public void afterUpdate(EntryEvent<String, String> event) {
    changed(event);
  }

  private void changed(EntryEvent<String, String> event) {
    RegionEntry entry = ((InternalRegion) event.getRegion()).getRegionEntry(event.getKey());
    synchronized (entry) {
      String value = Objects.requireNonNull(event.getRegion().get(event.getKey()));
      stamps.received(value);
      log.event().set("version", version(entry)).set("value", Stamps.text(value)).record();
    }
    if (!event.isOriginRemote()) {
      synchronized (ownVersions) {
        ownVersions.add(((EntryEventImpl) event).getVersionTag().getEntryVersion());
      }
    }
  }

  static int version(RegionEntry entry) {
    return entry.getVersionStamp().asVersionTag().getEntryVersion();
  }

  /** The versions that Geode gave to the puts of this node, by its own events. */
  List<Integer> ownVersions() {
    synchronized (ownVersions) {
      return List.copyOf(ownVersions);
    }
  }
}
