// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.live;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.Watermark;
import io.retroscope.rql.diagnostic.RqlException;
import io.retroscope.rql.engine.LiveStart;
import io.retroscope.rql.engine.PreparedQuery;
import io.retroscope.server.live.StreamingQuery.Opening;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The live queries of all clients, which follow the watermark together on one thread and share
 * their walks. Thread-safe.
 *
 * <p>No client can delay the others: a sink never waits here, and a query that reads long history
 * follows on a thread of its own, as all do after a failure of the server.
 */
public final class StreamingGroup implements AutoCloseable {
  /** The longest history that a query may read on the common thread, in stamps. */
  private static final long RECENT_MICROS = TimeUnit.SECONDS.toMicros(10);

  /** Steps that take longer are followed by a rest of the same duration, up to the longest. */
  private static final long SHORT_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

  private static final long LONGEST_REST_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  /** The interval at which cancelled queries are noticed while the watermark does not move. */
  private static final long PATIENCE_MILLIS = 250;

  private static final Logger logger = LoggerFactory.getLogger(StreamingGroup.class);

  private final StreamingQuery.Parts parts;
  private final Deque<Member> arriving = new ArrayDeque<>();
  private final Thread thread = new Thread(this::run, "streams");
  private volatile boolean hasArrivals;
  private volatile boolean closed;

  /** The queries that the thread follows; used by it only. */
  private final List<Member> members = new ArrayList<>();

  private LiveFollowers followers;

  /** A query of the group, until it is closed. */
  private static final class Member implements Following {
    private final PreparedQuery query;
    private final LiveSink sink;
    private final Opening opening;
    private @Nullable LiveFollower follower;
    private @Nullable StreamingQuery alone;
    private boolean closed;

    Member(PreparedQuery query, LiveSink sink, Opening opening) {
      this.query = query;
      this.sink = sink;
      this.opening = opening;
    }

    /** Continues on a thread of its own. */
    synchronized void separate(StreamingQuery.Parts parts) {
      LiveFollower follows = follower;
      Opening next =
          follows == null || follows.isNew() ? opening : Opening.resuming(follows.place());
      alone = StreamingQuery.start(parts, query, sink, next);
      if (closed) {
        alone.close();
      }
    }

    synchronized boolean isClosed() {
      return closed;
    }

    @Override
    public synchronized void close() {
      closed = true;
      if (alone != null) {
        alone.close();
      }
    }
  }

  /** Creates a group without queries. */
  public StreamingGroup(StreamingQuery.Parts parts) {
    this.parts = parts;
    this.followers = new LiveFollowers(parts);
    thread.setDaemon(true);
    thread.start();
  }

  /**
   * Begins to follow a query.
   *
   * @return ends the query soon when it is closed, and notifies its sink
   */
  public Following add(PreparedQuery query, LiveSink sink, Opening opening) {
    if (closed || readsHistory(query, opening)) {
      return StreamingQuery.start(parts, query, sink, opening);
    }
    Member member = new Member(query, sink, opening);
    synchronized (this) {
      arriving.add(member);
      hasArrivals = true;
      notifyAll();
    }
    parts.watermarks().wake();
    return member;
  }

  private boolean readsHistory(PreparedQuery query, Opening opening) {
    Watermark watermark = parts.watermarks().current();
    LiveStart start = LiveStart.at(watermark, opening.begin()).resuming(opening.resumed());
    try (EventSource.View view = parts.source().open()) {
      long from = parts.engine().liveReadsFrom(query, view, start);
      long recent = HlcTimestamp.micros(watermark.hlc()) - RECENT_MICROS;
      return HlcTimestamp.micros(from) < recent
          && view.extent().filter(all -> HlcTimestamp.micros(all.from()) < recent).isPresent();
    } catch (RqlException e) {
      return true; // Its own thread reports it.
    }
  }

  private void run() {
    try {
      Watermark reached = parts.watermarks().current();
      while (!closed) {
        awaitMember();
        reached = parts.watermarks().awaitAbove(reached.hlc(), PATIENCE_MILLIS, this::isDue);
        long began = parts.clock().nanos();
        advance(reached);
        rest(parts.clock().nanos() - began);
      }
    } catch (InterruptedException e) {
      // The server is shutting down.
    }
    takeArrivals().forEach(member -> member.sink.goingDown());
    members.forEach(member -> member.sink.goingDown());
    followers.close();
  }

  private boolean isDue() {
    return closed || hasArrivals;
  }

  private synchronized void awaitMember() throws InterruptedException {
    while (!closed && members.isEmpty() && arriving.isEmpty()) {
      wait();
    }
  }

  private synchronized List<Member> takeArrivals() {
    List<Member> all = List.copyOf(arriving);
    arriving.clear();
    hasArrivals = false;
    return all;
  }

  /** Leaves half of the time to other threads where many queries make steps long. */
  private synchronized void rest(long tookNanos) throws InterruptedException {
    if (tookNanos > SHORT_NANOS && !closed) {
      TimeUnit.NANOSECONDS.timedWait(this, Math.min(tookNanos, LONGEST_REST_NANOS));
    }
  }

  private void advance(Watermark next) {
    try {
      takeArrivals().forEach(this::open);
      followers.step(next);
      removeEnded();
    } catch (RuntimeException | Error e) {
      logger.error("live queries failed together: each continues on its own", e);
      members.forEach(member -> member.separate(parts));
      members.clear();
      closeFollowers();
      followers = new LiveFollowers(parts);
    }
  }

  private void closeFollowers() {
    try {
      followers.close();
    } catch (RuntimeException e) {
      logger.warn("live queries could not be closed", e);
    }
  }

  private void open(Member member) {
    members.add(member);
    member.sink.setPatient(false);
    try {
      member.follower = followers.open(member.query, member.sink, member.opening);
    } catch (RqlException e) {
      members.remove(member);
      member.sink.failed(e);
    }
  }

  private void removeEnded() {
    for (Iterator<Member> all = members.iterator(); all.hasNext(); ) {
      Member member = all.next();
      Optional<Runnable> end = end(member);
      if (end.isPresent()) {
        all.remove();
        if (member.follower != null) {
          member.follower.close();
        }
        end.get().run();
      }
    }
  }

  /** What is to be reported to the sink of a query that has ended; empty if it continues. */
  private static Optional<Runnable> end(Member member) {
    LiveFollower follower = member.follower;
    if (follower == null || follower.hasFailed()) {
      return Optional.of(() -> {}); // Its sink has received the error.
    }
    if (member.isClosed()) {
      return Optional.of(member.sink::goingDown);
    }
    if (member.sink.cancelled()) {
      return Optional.of(() -> {});
    }
    return follower.isFinished() ? Optional.of(member.sink::end) : Optional.empty();
  }

  /** Ends all queries soon, and notifies their sinks. */
  @Override
  public void close() {
    synchronized (this) {
      closed = true;
      notifyAll();
    }
    parts.watermarks().wake();
  }
}
