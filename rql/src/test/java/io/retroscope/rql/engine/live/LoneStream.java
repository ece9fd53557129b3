// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine.live;

import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.Watermark;
import io.retroscope.rql.engine.PreparedQuery;
import io.retroscope.rql.engine.QueryEngine;

/** A STREAM that is the only one of its group. Used by one thread. */
public final class LoneStream implements AutoCloseable {
  private final LiveGroup group;
  private final LiveWalk walk;

  private LoneStream(LiveGroup group, LiveWalk walk) {
    this.group = group;
    this.walk = walk;
  }

  /** Opens a STREAM that begins at a watermark, and walks up to it. */
  public static LoneStream open(
      QueryEngine engine,
      PreparedQuery query,
      EventSource.View view,
      Watermark start,
      RowSink sink) {
    return open(engine, query, view, LiveStart.at(start.hlc()), sink).upTo(view, start);
  }

  /** Opens a STREAM that has not advanced. */
  public static LoneStream open(
      QueryEngine engine,
      PreparedQuery query,
      EventSource.View view,
      LiveStart start,
      RowSink sink) {
    LiveGroup group = engine.newLiveGroup();
    return new LoneStream(group, engine.openLive(query, view, start, sink, group));
  }

  /** Advances to a watermark; closes the stream if that fails. Returns the same stream. */
  public LoneStream upTo(EventSource.View view, Watermark watermark) {
    try {
      advance(view, watermark);
    } catch (RuntimeException e) {
      close();
      throw e;
    }
    return this;
  }

  /** Advances to a watermark; returns whether more rows are wanted, or throws what ended it. */
  public boolean advance(EventSource.View view, Watermark watermark) {
    group.advance(view, watermark);
    return continues();
  }

  /** Sends what events from a stamp on that came late change; returns as {@link #advance}. */
  public boolean amend(EventSource.View view, Watermark watermark, long lateHlc) {
    group.amend(view, watermark, walk.interest(), lateHlc);
    return continues();
  }

  private boolean continues() {
    RuntimeException error = walk.failure() == null ? walk.breakage() : walk.failure();
    if (error != null) {
      throw error;
    }
    return !walk.isFinished();
  }

  /** The query. */
  public LiveWalk walk() {
    return walk;
  }

  @Override
  public void close() {
    walk.close();
  }
}
