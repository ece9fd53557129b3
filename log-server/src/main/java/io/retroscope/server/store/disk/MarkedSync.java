// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store.disk;

import io.retroscope.server.metrics.Latency;
import io.retroscope.server.metrics.Metrics;
import org.jspecify.annotations.Nullable;

/** Syncs the database's log and records the last synced change. Used by the writing thread. */
/*
 * After a failed sync the content of the disk is unknown: the operating system may have dropped the
 * pages that it could not write and report the next sync as successful. Therefore there is no next
 * sync. Acknowledged events can still be read, and a restart continues from the actual content of
 * the log.
 */
public final class MarkedSync implements AutoCloseable {
  private final Database database;

  /**
   * Makes everything that was written to a database's log durable against a crash of the machine.
   */
  public interface LogSync {
    /** The database's own sync. */
    LogSync REAL = Database::sync;

    /**
     * Returns once everything written so far is on disk.
     *
     * @throws StoreException if that is not certain
     */
    void sync(Database database);
  }

  private final LogSync sync;
  private final SyncedMarker marker;
  private final Metrics metrics;
  private @Nullable StoreException failure;

  public MarkedSync(Database database, LogSync sync, SyncedMarker marker, Metrics metrics) {
    this.database = database;
    this.sync = sync;
    this.marker = marker;
    this.metrics = metrics;
  }

  /**
   * Makes everything written so far safe.
   *
   * @throws StoreException if that is not certain
   */
  public void sync() {
    check();
    long written = database.sequence();
    try {
      metrics.time(Latency.FSYNC, () -> sync.sync(database));
    } catch (StoreException e) {
      throw failed(e);
    } catch (RuntimeException | Error e) {
      StoreException unused = failed(e);
      throw e;
    }
    marker.write(written);
  }

  private StoreException failed(Throwable reason) {
    failure =
        new StoreException(
            "a sync of the store's log has failed: nothing more is stored until the server is"
                + " started again ("
                + reason.getMessage()
                + ")",
            reason);
    return failure;
  }

  /**
   * Checks that every sync so far has succeeded.
   *
   * @throws StoreException if one has not
   */
  public void check() {
    if (failure != null) {
      throw failure;
    }
  }

  public boolean isBroken() {
    return failure != null;
  }

  @Override
  public void close() {
    marker.close();
  }
}
