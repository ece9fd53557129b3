// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.shell;

import io.retroscope.rql.client.ProblemException;
import io.retroscope.rql.client.Session;
import io.retroscope.rql.cut.Catalog;
import java.io.IOException;

/**
 * The catalog for completion, which may be slightly out of date. It is loaded when it is first
 * needed: for that, files of events are read as a whole. Used by one thread.
 */
final class CatalogCache {
  /** The age after which the catalog is loaded again. */
  static final long MAX_AGE_NANOS = 10_000_000_000L;

  private final Session session;
  private final ShellClock clock;
  private Catalog catalog = Catalog.EMPTY;
  private long loadedNanos;
  private boolean loaded;
  private boolean fresh;

  CatalogCache(Session session, ShellClock clock) {
    this.session = session;
    this.clock = clock;
  }

  /**
   * Loads the catalog.
   *
   * @throws IOException if the server cannot be reached
   */
  void load() throws IOException {
    loadedNanos = clock.nanos();
    fresh |= !loaded;
    loaded = true;
    catalog = session.catalog();
  }

  /** Returns the catalog, or the last known one if the server cannot be reached. */
  Catalog get() {
    if (!loaded || clock.nanos() - loadedNanos > MAX_AGE_NANOS) {
      try {
        load();
      } catch (IOException | ProblemException e) {
        return catalog;
      }
    }
    return catalog;
  }

  /**
   * Returns whether the catalog was loaded for the first time since the last call, which may have
   * written a line of progress to the terminal.
   */
  boolean takeFresh() {
    boolean was = fresh;
    fresh = false;
    return was;
  }
}
