package io.retroscope.server.live;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.rql.answer.StreamPlace;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.Watermark;
import io.retroscope.rql.diagnostic.RqlException;
import io.retroscope.rql.engine.LiveWalk;
import io.retroscope.rql.engine.PreparedQuery;
import io.retroscope.rql.engine.QueryEngine;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A STREAM query that follows the watermark on its own thread, until its sink is cancelled, it
 * ends, or it is closed.
 *
 * <p>History ends and live begins at one watermark. The watermark is read before the view is
 * opened, so the view contains every event up to it, and all later events are above it.
 */
public final class StreamingQuery implements AutoCloseable {
  private static final Logger logger = LoggerFactory.getLogger(StreamingQuery.class);

  /** The interval at which an idle walk checks whether it was cancelled. */
  private static final long PATIENCE_MILLIS = 250;

  /** The distance between two reports of the stamp up to which the rows are complete. */
  private static final long REPORT_MICROS = 100_000;

  private final QueryEngine engine;
  private final EventSource source;
  private final WatermarkTracker watermarks;
  private final PreparedQuery query;
  private final LiveSink sink;
  private final Optional<StreamPlace> resumed;
  private final Thread thread = new Thread(this::run, "stream");
  private volatile boolean closed;

  private StreamingQuery(
      QueryEngine engine,
      EventSource source,
      WatermarkTracker watermarks,
      PreparedQuery query,
      LiveSink sink,
      Optional<StreamPlace> resumed) {
    this.engine = engine;
    this.source = source;
    this.watermarks = watermarks;
    this.query = query;
    this.sink = sink;
    this.resumed = resumed;
  }

  /**
   * Starts following the watermark.
   *
   * @param resumed the position at which an interrupted client resumes the stream; if absent, live
   *     begins now
   */
  public static StreamingQuery start(
      QueryEngine engine,
      EventSource source,
      WatermarkTracker watermarks,
      PreparedQuery query,
      LiveSink sink,
      Optional<StreamPlace> resumed) {
    StreamingQuery streaming = new StreamingQuery(engine, source, watermarks, query, sink, resumed);
    streaming.thread.setDaemon(true);
    streaming.thread.start();
    return streaming;
  }

  private void run() {
    try {
      walk();
    } catch (RqlException e) {
      sink.failed(e);
    } catch (InterruptedException e) {
      sink.goingDown();
    } catch (RuntimeException | Error e) {
      if (!closed) {
        logger.error("a live query failed: {}", query.text(), e);
      }
      sink.broken("the server failed to continue the query: see the server's log");
    }
  }

  private void walk() throws InterruptedException {
    Watermark reached = watermarks.current();
    long reported = HlcTimestamp.MIN_PACKED;
    try (LiveWalk walk = open(reached)) {
      boolean continues = true;
      while (continues && isWanted()) {
        Watermark next = watermarks.awaitAbove(reached.hlc(), PATIENCE_MILLIS);
        boolean moved = next.hlc() > reached.hlc();
        if (moved) {
          reached = next;
          try (EventSource.View view = source.open()) {
            continues = walk.advance(view, next);
          }
        }
        // A watermark that does not advance is reported as well: a client may wait for that stamp,
        // or for rows that are held.
        long held = watermarks.heldMicros();
        boolean news = reported < reached.hlc() || (held > 0 && !moved);
        if (news && (!moved || isDue(reported, reached.hlc()))) {
          reported = reached.hlc();
          sink.place(walk.place());
          sink.held(held);
          sink.progress(walk.cuts(), reported);
        }
      }
    }
    if (closed) {
      sink.goingDown();
    } else if (!sink.cancelled()) {
      sink.end();
    }
  }

  private static boolean isDue(long reported, long reached) {
    return HlcTimestamp.micros(reached) - HlcTimestamp.micros(reported) >= REPORT_MICROS;
  }

  private LiveWalk open(Watermark start) {
    try (EventSource.View view = source.open()) {
      return engine.openLive(query, view, start, resumed, sink);
    }
  }

  private boolean isWanted() {
    return !closed && !sink.cancelled();
  }

  /** Ends the query soon, and notifies its sink. */
  @Override
  public void close() {
    // An interrupt would be quicker, but could hit the sink while it handles the last call.
    closed = true;
  }
}
