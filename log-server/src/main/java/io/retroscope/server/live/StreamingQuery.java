// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.live;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.rql.answer.StreamPlace;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.Incompleteness;
import io.retroscope.rql.cut.Watermark;
import io.retroscope.rql.diagnostic.RqlException;
import io.retroscope.rql.engine.PreparedQuery;
import io.retroscope.rql.engine.QueryEngine;
import io.retroscope.rql.engine.live.LiveStart;
import io.retroscope.server.health.FatalErrors;
import io.retroscope.server.store.disk.StoreException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A STREAM query that follows the watermark on its own thread, until its sink is cancelled, it
 * ends, or it is closed. It waits for partitions that cannot be read.
 */
public final class StreamingQuery implements Following {
  private static final Logger logger = LoggerFactory.getLogger(StreamingQuery.class);

  /** The interval at which an idle walk checks whether it was cancelled. */
  private static final long PATIENCE_MILLIS = 250;

  private final Parts parts;
  private final PreparedQuery query;
  private final LiveSink sink;
  private final LiveStart opening;
  private final Thread thread = new Thread(this::run, "stream");

  /** What its followers cannot say, because they could not begin. */
  private final Currency currency = new Currency();

  private volatile boolean closed;

  /**
   * The parts of a server that live queries follow.
   *
   * @param source views of the store
   * @param late a listener of the store
   */
  public record Parts(
      QueryEngine engine,
      EventSource source,
      WatermarkTracker watermarks,
      LateLog late,
      MonotonicClock clock) {}

  private StreamingQuery(Parts parts, PreparedQuery query, LiveSink sink, LiveStart opening) {
    this.parts = parts;
    this.query = query;
    this.sink = sink;
    this.opening = opening;
  }

  /** Starts following the watermark. */
  public static StreamingQuery start(
      Parts parts, PreparedQuery query, LiveSink sink, LiveStart opening) {
    StreamingQuery streaming = new StreamingQuery(parts, query, sink, opening);
    sink.setPatient(true);
    streaming.thread.setDaemon(true);
    streaming.thread.start();
    return streaming;
  }

  private void run() {
    try {
      follow();
    } catch (RqlException e) {
      sink.failed(e);
    } catch (InterruptedException e) {
      sink.goingDown();
    } catch (StoreException e) {
      unreadable(e);
    } catch (RuntimeException | Error e) {
      FatalErrors.check(e);
      if (!closed) {
        logger.error("a live query failed: {}", query.text(), e);
      }
      sink.broken("the server failed to continue the query: see the server's log");
    }
  }

  private void unreadable(StoreException reason) {
    if (closed) {
      sink.goingDown();
    } else {
      logger.error("a live query ends: {}", query.text(), reason);
      sink.broken(String.valueOf(reason.getMessage()));
    }
  }

  private void follow() throws InterruptedException {
    Optional<LiveStart> next = Optional.of(opening);
    while (next.isPresent() && isWanted()) {
      next = follow(next.get());
    }
    if (next.isPresent()) {
      end();
    }
  }

  /** Returns where it continues once everything can be read again; empty if it has ended. */
  private Optional<LiveStart> follow(LiveStart from) throws InterruptedException {
    WatermarkTracker watermarks = parts.watermarks();
    LiveFollower follower = null;
    try (LiveFollowers followers = new LiveFollowers(parts)) {
      Watermark next = watermarks.current();
      follower = followers.open(query, sink, from);
      followers.step(next);
      note(follower);
      while (!follower.isFinished() && isWanted()) {
        next = watermarks.awaitAbove(next.hlc(), PATIENCE_MILLIS);
        followers.step(next);
        note(follower);
      }
      if (follower.hasFailed()) {
        return Optional.empty();
      }
    } catch (PartitionException e) {
      LiveStart place = place(follower, from);
      long reached = place.resumed().map(StreamPlace::hlc).orElse(place.begin());
      Incompleteness reason = new Incompleteness.AfterEnd(reached, String.valueOf(e.getMessage()));
      note(Unheard.NOTHING.awaiting(List.of(reason)), reached);
      TimeUnit.MILLISECONDS.sleep(PATIENCE_MILLIS);
      return Optional.of(place);
    }
    end();
    return Optional.empty();
  }

  private void end() {
    if (closed) {
      sink.goingDown();
    } else if (!sink.cancelled()) {
      sink.end();
    }
  }

  /** Notes that everything could be read, if it has taken a step. */
  private void note(LiveFollower follower) {
    if (follower.hasBegun()) {
      note(Unheard.NOTHING, HlcTimestamp.MIN_PACKED);
    }
  }

  private void note(Unheard unheard, long reachedHlc) {
    currency
        .note(unheard, reachedHlc, parts.clock().nanos())
        .ifPresent(notice -> sink.notice(notice.sentence(), notice.reasons()));
  }

  private static LiveStart place(@Nullable LiveFollower follower, LiveStart from) {
    return follower == null || !follower.hasBegun() ? from : LiveStart.resuming(follower.place());
  }

  private boolean isWanted() {
    return !closed && !sink.cancelled();
  }

  @Override
  public void close() {
    // An interrupt would be quicker, but could hit the sink while it handles the last call.
    closed = true;
  }
}
