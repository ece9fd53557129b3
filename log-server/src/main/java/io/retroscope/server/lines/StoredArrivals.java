// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.lines;

import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventKind;
import io.retroscope.server.memory.MemoryBudget.Charge;
import io.retroscope.server.store.EventStore;
import io.retroscope.server.store.StoreListener;
import io.retroscope.server.store.run.Incarnation;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;

/** The arrivals in a store, whose writing thread delivers them. */
public final class StoredArrivals implements Arrivals, StoreListener {
  /** The memory of the unprocessed blocks, within the memory budget of the process. */
  private static final long MAX_WAITING_BYTES = 32 << 20;

  private static final int WAITING_SHARE = 128;

  private final EventStore store;
  private final ArrayDeque<EventBlock> blocks = new ArrayDeque<>();
  private final Charge charge;
  private final long maxBytes;
  private int waitingCount;
  private boolean leftBehind;

  private StoredArrivals(EventStore store) {
    this.store = store;
    charge = store.memory().charge();
    maxBytes = Math.min(MAX_WAITING_BYTES, store.memory().totalBytes() / WAITING_SHARE);
  }

  /** Begins to listen. */
  public static StoredArrivals in(EventStore store) {
    StoredArrivals arrivals = new StoredArrivals(store);
    store.addListener(arrivals);
    return arrivals;
  }

  @Override
  public synchronized void stored(EventBlock block) {
    if (leftBehind || block.isEmpty()) {
      return;
    }
    long bytes = charge.bytes() + block.memoryBytes();
    boolean isFirst = blocks.isEmpty();
    leftBehind =
        waitingCount + block.size() > MAX_WAITING
            || (bytes > maxBytes && !isFirst)
            || !charge.tryResize(bytes);
    if (leftBehind) {
      clear();
    } else {
      blocks.add(block);
      waitingCount += block.size();
    }
  }

  private void clear() {
    blocks.clear();
    waitingCount = 0;
    charge.close();
  }

  @Override
  public void heard(Collection<Incarnation> incarnations) {}

  @Override
  public void take(Consumer<Event> sink) {
    for (EventBlock block : takeBlocks()) {
      for (int row = 0; row < block.size(); row++) {
        EventKind kind = block.kind(row);
        if (kind == EventKind.LOG_LINE || kind == EventKind.SEND || kind == EventKind.RECEIVE) {
          sink.accept(block.event(row));
        }
      }
    }
  }

  private synchronized List<EventBlock> takeBlocks() {
    if (leftBehind) {
      throw LineException.tooFast();
    }
    List<EventBlock> taken = List.copyOf(blocks);
    clear();
    return taken;
  }

  @Override
  public void close() {
    store.removeListener(this);
    synchronized (this) {
      leftBehind = true;
      clear();
    }
  }
}
