package io.retroscope.server.store;

/** Makes everything that was written to a database's log durable against a crash of the machine. */
interface LogSync {
  /** The database's own sync. */
  LogSync REAL = Database::sync;

  /**
   * Returns once everything written so far is on disk.
   *
   * @throws StoreException if that is not certain
   */
  void sync(Database database);
}
