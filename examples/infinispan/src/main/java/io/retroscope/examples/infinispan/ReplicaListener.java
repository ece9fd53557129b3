// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.infinispan;

import io.retroscope.recorder.EventLog;
import io.retroscope.recorder.Recorder;
import org.infinispan.notifications.Listener;
import org.infinispan.notifications.cachelistener.annotation.CacheEntryCreated;
import org.infinispan.notifications.cachelistener.annotation.CacheEntryModified;
import org.infinispan.notifications.cachelistener.event.CacheEntryEvent;
import org.infinispan.notifications.cachemanagerlistener.annotation.ViewChanged;
import org.infinispan.notifications.cachemanagerlistener.event.ViewChangedEvent;

/** Records what this node's replica holds, and which cluster it sees. Thread-safe. */
@Listener
public final class ReplicaListener {
  private final EventLog stock;

  ReplicaListener(Recorder recorder) {
    this.stock = recorder.log("stock");
  }

  /** Records an applied version; called by the thread that applies it. */
  @CacheEntryCreated
  @CacheEntryModified
  public void applied(CacheEntryEvent<String, Long> event) {
    if (!event.isPre()) {
      stock.set("r1", event.getValue().longValue());
    }
  }

  /** Records a view: its number and its size. */
  @ViewChanged
  public void view(ViewChangedEvent event) {
    stock.set("view", event.getViewId() + "/" + event.getNewMembers().size());
  }
}
