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
 * A STREAM query that follows the watermark on a thread of its own, until its sink is cancelled, it
 * ends, or it is closed.
 *
 * <p>History ends and live begins at one watermark: it is read first and the view is opened after
 * it, so the view holds every event up to it, and what comes later is above it.
 */
public final class StreamingQuery implements AutoCloseable {
  private static final Logger logger = LoggerFactory.getLogger(StreamingQuery.class);

  /** How often a walk that has nothing to do asks whether it is to go on. */
  private static final long PATIENCE_MILLIS = 250;

  /** How far the watermark moves between two reports of how far the rows are complete. */
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
   * @param resumed where the stream of an interrupted client is taken up again; without it, live
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
      sink.broken("the server could not go on with the query; its log says why");
    }
  }

  private void walk() throws InterruptedException {
    Watermark reached = watermarks.current();
    long reported = HlcTimestamp.MIN_PACKED;
    try (LiveWalk walk = open(reached)) {
      boolean goesOn = true;
      while (goesOn && isWanted()) {
        Watermark next = watermarks.awaitAbove(reached.hlc(), PATIENCE_MILLIS);
        boolean moved = next.hlc() > reached.hlc();
        if (moved) {
          reached = next;
          try (EventSource.View view = source.open()) {
            goesOn = walk.advance(view, next);
          }
        }
        // Where it stands still is reported as well: a client may be waiting for just that stamp,
        // or
        // for rows that are held.
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

  /** Ends the query soon; its sink hears of it. */
  @Override
  public void close() {
    // An interrupt would be quicker, but could hit the sink just as it takes the last word.
    closed = true;
  }
}
