// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.server.store.StoreState.ReadPoint;
import io.retroscope.server.store.disk.Database;
import io.retroscope.server.store.disk.StoreSchema;
import io.retroscope.server.store.disk.StoreSchema.LifetimeStart;
import io.retroscope.server.store.run.Lifetimes;
import io.retroscope.server.store.run.Lifetimes.Lifetime;
import java.util.List;

/** The lifetimes in the database, as one version of the store has them. Thread-safe. */
final class StoredLifetimes implements Lifetimes.Stored {
  private final Database database;
  private final ReadPoint at;
  private final Runnable freeze;

  /**
   * Reads the lifetimes of a version.
   *
   * @param freeze keeps what the views of the published version read; called by the writing thread
   */
  StoredLifetimes(Database database, ReadPoint at, Runnable freeze) {
    this.database = database;
    this.at = at;
    this.freeze = freeze;
  }

  /** Passes the first and the last range of each node to the lifetimes. */
  static void restore(Database database, Lifetimes lifetimes) {
    database.forEachGroup(
        StoreSchema.LIFETIMES,
        start -> new LifetimeStart(start.node(), HlcTimestamp.MAX_PACKED),
        (first, last) ->
            lifetimes.restore(first.getKey().node(), first.getValue(), last.getValue()));
  }

  @Override
  public List<Lifetime> read(String node, long hlc, long below) {
    return at.fromFloor(
        database,
        StoreSchema.LIFETIMES,
        new Database.Stretch<>(
            new LifetimeStart(node, HlcTimestamp.MIN_PACKED),
            new LifetimeStart(node, hlc),
            new LifetimeStart(node, below)),
        Lifetimes.PAGE);
  }

  @Override
  public void freeze() {
    freeze.run();
  }

  @Override
  public void replace(String node, List<Long> begins, Lifetime instead) {
    try (Changes changes = new Changes(database)) {
      begins.forEach(from -> changes.delete(StoreSchema.LIFETIMES, new LifetimeStart(node, from)));
      LifetimeStart start = new LifetimeStart(node, instead.range().from());
      changes.put(StoreSchema.LIFETIMES, start, instead);
      changes.write();
    }
  }
}
