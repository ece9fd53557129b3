// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.cluster;

import io.retroscope.rql.cut.EventSource.View;
import io.retroscope.server.store.disk.StoreException;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Supplier;

/**
 * The open views of a store that may be closed at any time, because its partition moves to another
 * server. Readers then get an exception, and continue elsewhere. Thread-safe.
 */
final class OpenViews {
  private final Set<View> views = ConcurrentHashMap.newKeySet();

  /** Held by each access, and exclusively by the end. */
  private final ReadWriteLock lock = new ReentrantReadWriteLock();

  private boolean ended;

  /**
   * Reads from a view of the store.
   *
   * @throws StoreException if the store is closed
   */
  <T> T read(Supplier<T> access) {
    lock.readLock().lock();
    try {
      if (ended) {
        throw new StoreException("the partition has left this server");
      }
      return access.get();
    } finally {
      lock.readLock().unlock();
    }
  }

  /** Ends an access to a damaged store, which would leave something out. */
  static void check(Optional<String> damage) {
    if (damage.isPresent()) {
      throw new StoreException(damage.get());
    }
  }

  /** Opens a view, which is closed by {@link #close} or with the store. */
  View open(Supplier<View> opening) {
    return read(
        () -> {
          View view = opening.get();
          views.add(view);
          return view;
        });
  }

  /** Closes a view unless that has happened. */
  void close(View view) {
    lock.readLock().lock();
    try {
      if (views.remove(view)) {
        view.close();
      }
    } finally {
      lock.readLock().unlock();
    }
  }

  /** Waits for the present accesses, closes all views, and allows no further access. */
  void end() {
    lock.writeLock().lock();
    try {
      ended = true;
      views.forEach(View::close);
      views.clear();
    } finally {
      lock.writeLock().unlock();
    }
  }
}
