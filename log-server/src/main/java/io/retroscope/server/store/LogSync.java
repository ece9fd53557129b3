package io.retroscope.server.store;

/** Makes what was written to a database's log safe from a crash of the machine. */
interface LogSync {
  /** The database's own. */
  LogSync REAL = Database::sync;

  /**
   * Returns once everything written so far is on disk.
   *
   * @throws StoreException if that is not certain
   */
  void sync(Database database);
}
