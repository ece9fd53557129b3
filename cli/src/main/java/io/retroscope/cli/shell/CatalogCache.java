package io.retroscope.cli.shell;

import io.retroscope.rql.client.Catalog;
import io.retroscope.rql.client.ProblemException;
import io.retroscope.rql.client.Session;
import java.io.IOException;

/** What there is to ask about, as completion needs it: a little old at most. Used by one thread. */
final class CatalogCache {
  /** After so long it is asked for again. */
  static final long MAX_AGE_NANOS = 10_000_000_000L;

  private final Session session;
  private final ShellClock clock;
  private Catalog catalog = Catalog.EMPTY;
  private long loadedNanos;

  CatalogCache(Session session, ShellClock clock) {
    this.session = session;
    this.clock = clock;
  }

  /**
   * Asks for it now.
   *
   * @throws IOException if the server cannot be reached
   */
  void load() throws IOException {
    loadedNanos = clock.nanos();
    catalog = session.catalog();
  }

  /** What was known last; without a server that is all there is. */
  Catalog get() {
    if (clock.nanos() - loadedNanos > MAX_AGE_NANOS) {
      try {
        load();
      } catch (IOException | ProblemException e) {
        return catalog;
      }
    }
    return catalog;
  }
}
