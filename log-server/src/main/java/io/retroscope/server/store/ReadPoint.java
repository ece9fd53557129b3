package io.retroscope.server.store;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What the views of one version of the index read. Thread-safe.
 *
 * <p>While the blocks of the version are in the database, that is the database. Before some of them
 * are replaced by sealed blocks, the database is frozen for the views that still refer to them, and
 * thawed when the last of these is closed.
 */
final class ReadPoint {
  /** The views, and one for the version while it is the present one. */
  private int users = 1;

  private volatile Database.@Nullable Frozen frozen;

  /** Adds a view; returns false if the version has been left by all. */
  synchronized boolean enter() {
    users += users > 0 ? 1 : 0;
    return users > 0;
  }

  /** Removes a view, or the version itself when it is no longer the present one. */
  synchronized void leave() {
    users--;
    if (users == 0 && frozen != null) {
      frozen.close();
    }
  }

  /** Keeps all present blocks readable. Called by the writing thread before it replaces some. */
  void freeze(Database database) {
    if (frozen == null) {
      frozen = database.freeze();
    }
  }

  <K, V> Optional<V> get(Database database, Table<K, V> table, K key) {
    Database.Frozen before = frozen;
    if (before != null) {
      return before.get(table, key);
    }
    Optional<V> value = database.get(table, key);
    // A block that is missing may have been replaced since the first look.
    Database.Frozen after = frozen;
    return value.isEmpty() && after != null ? after.get(table, key) : value;
  }
}
