// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.cluster;

import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.server.store.EventStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The events of several stores of this process, read as those of a cluster's partitions are: the
 * last one as if another server had sent it. Thread-safe.
 */
public final class LocalParts implements EventSource, AutoCloseable {
  private final List<EventStore> stores;
  private final PartThreads threads = new PartThreads();

  /**
   * A source over stores.
   *
   * @param stores of which each has all events of its nodes; stay open for as long as this
   */
  public LocalParts(List<EventStore> stores) {
    this.stores = List.copyOf(stores);
  }

  @Override
  public View open() {
    List<PartView> parts = new ArrayList<>();
    for (int i = 0; i < stores.size(); i++) {
      StoredPart part = part(stores.get(i));
      parts.add(i < stores.size() - 1 ? part : new SentPart(part));
    }
    return new MergedView(threads, parts, ViewClocks.NONE);
  }

  private static StoredPart part(EventStore store) {
    return new StoredPart(
        new OpenViews(),
        () -> store.open(ClockOffsets.UNKNOWN),
        Optional::empty,
        Optional.empty(),
        CutPieces.EVENTS);
  }

  @Override
  public void close() {
    threads.close();
  }
}
