package io.retroscope.rql.engine;

import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.Watermark;
import io.retroscope.rql.diagnostic.RqlException;

/** A STREAM query on its way: the walk goes on as the watermark moves. Used by one thread. */
public final class LiveWalk implements AutoCloseable {
  private boolean finished;

  LiveWalk() {}

  /**
   * Walks from where it stands up to the watermark and sends the rows found.
   *
   * @param view holds every event up to the watermark
   * @param watermark never below an earlier one
   * @return whether the query goes on; false once its LIMIT is reached or its sink wants no more
   * @throws RqlException if a cut cannot be evaluated
   */
  public boolean advance(EventSource.View view, Watermark watermark) {
    return !finished;
  }

  @Override
  public void close() {
    finished = true;
  }
}
