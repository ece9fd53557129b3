// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.live;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.Watermark;
import io.retroscope.rql.diagnostic.RqlException;
import io.retroscope.rql.engine.PreparedQuery;
import io.retroscope.rql.engine.live.LiveStart;
import io.retroscope.server.health.FatalErrors;
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
 * <p>No client can delay the others: a sink never waits here, and a query that reads long history,
 * or would after a late event, follows on a thread of its own with the others of its client. All do
 * after a failure of the server.
 */
public final class StreamingGroup implements AutoCloseable {
  /** The longest history that a query may read on the common thread, in stamps. */
  private static final long RECENT_MICROS = TimeUnit.SECONDS.toMicros(10);

  /** The longest history that any late event may make a query read again there, in stamps. */
  private static final long REPEATED_MICROS = TimeUnit.MINUTES.toMicros(2);

  /** The distance between two searches for queries that would read more, in stamps. */
  private static final long SEARCH_MICROS = TimeUnit.SECONDS.toMicros(1);

  /** The interval at which cancelled queries are noticed while the watermark does not move. */
  private static final long PATIENCE_MILLIS = 250;

  private static final Logger logger = LoggerFactory.getLogger(StreamingGroup.class);

  private final StreamingQuery.Parts parts;
  private final Deque<Member> arriving = new ArrayDeque<>();
  private final Thread thread = new Thread(this::run, "streams");
  private long searchedMicros;
  private volatile boolean hasArrivals;
  private volatile boolean closed;

  /** The queries that the thread follows; used by it only. */
  private final List<Member> members = new ArrayList<>();

  private LiveFollowers followers;

  /** A live query of a client. */
  public record Request(PreparedQuery query, LiveSink sink, LiveStart opening) {
    private Following start(StreamingQuery.Parts parts) {
      return StreamingQuery.start(parts, query, sink, opening);
    }
  }

  /** A query of the group, until it is closed. */
  private static final class Member implements Following {
    private final PreparedQuery query;
    private final LiveSink sink;
    private final LiveStart opening;

    /** All queries of its client. */
    private final List<Member> client;

    private @Nullable LiveFollower follower;
    private @Nullable StreamingQuery alone;
    private boolean closed;

    Member(Request request, List<Member> client) {
      this.query = request.query();
      this.sink = request.sink();
      this.opening = request.opening();
      this.client = client;
    }

    /** Whether a late event may make it read events before a time again. */
    boolean mayReadBefore(long micros) {
      LiveFollower follows = follower;
      return follows != null
          && follows.hasBegun()
          && HlcTimestamp.micros(follows.place().start()) < micros;
    }

    /** Whether no late event waits, so that its place is exact. */
    boolean isSettled() {
      return follower == null || follower.isSettled();
    }

    void closeFollower() {
      if (follower != null) {
        follower.close();
      }
    }

    /** Continues on a thread of its own, after its follower was closed. */
    synchronized void separate(StreamingQuery.Parts parts) {
      LiveFollower follows = follower;
      LiveStart next =
          follows == null || !follows.hasBegun() ? opening : LiveStart.resuming(follows.place());
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
   * Begins to follow the queries of one client, whose sinks may share a queue: either all of them
   * may wait for the client, or none, because those that wait would leave no room to the others.
   *
   * @return for each request, in order: ends the query soon when it is closed, and notifies its
   *     sink
   */
  public List<Following> add(List<Request> requests) {
    if (requests.stream().noneMatch(this::readsHistory)) {
      List<Member> client = new ArrayList<>();
      requests.forEach(request -> client.add(new Member(request, client)));
      if (arrive(client)) {
        parts.watermarks().wake();
        return List.copyOf(client);
      }
    }
    return requests.stream().map(request -> request.start(parts)).toList();
  }

  /** Gives queries to the thread; returns false if it has ended. */
  private synchronized boolean arrive(List<Member> client) {
    if (closed) {
      return false;
    }
    arriving.addAll(client);
    hasArrivals = true;
    notifyAll();
    return true;
  }

  /** Whether a query reads long history, or resumes: all that it missed comes at once. */
  private boolean readsHistory(Request request) {
    LiveStart opening = request.opening();
    if (opening.resumed().isPresent()) {
      return true;
    }
    Watermark watermark = parts.watermarks().current();
    try (EventSource.View view = parts.source().open()) {
      long from = parts.engine().liveReadsFrom(request.query(), view, opening);
      long recent = HlcTimestamp.micros(watermark.hlc()) - RECENT_MICROS;
      return HlcTimestamp.micros(from) < recent && hasEventsBefore(view, recent);
    } catch (RuntimeException e) {
      return true; // Its own thread reports it.
    }
  }

  private void run() {
    try {
      Watermark reached = parts.watermarks().current();
      StepRests rests = new StepRests();
      while (!closed) {
        awaitMember();
        reached = parts.watermarks().awaitAbove(reached.hlc(), PATIENCE_MILLIS, this::isDue);
        long began = parts.clock().nanos();
        advance(reached);
        rest(rests.after(parts.clock().nanos() - began));
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

  private synchronized void rest(long nanos) throws InterruptedException {
    if (nanos > 0 && !closed) {
      TimeUnit.NANOSECONDS.timedWait(this, nanos);
    }
  }

  private void advance(Watermark next) {
    try {
      List<Member> arrived = takeArrivals();
      members.addAll(arrived); // All of them before one may fail.
      arrived.forEach(this::open);
      followers.step(next);
      removeEnded();
      separateLong(next);
    } catch (RuntimeException | Error e) {
      FatalErrors.check(e);
      if (!closed) { // Otherwise what it reads is being closed as well.
        note(e);
        separateAll();
      }
    }
  }

  private static void note(Throwable failure) {
    if (failure instanceof PartitionException) {
      logger.info("live queries wait, each on its own: {}", failure.getMessage());
    } else {
      logger.error("live queries failed together: each continues on its own", failure);
    }
  }

  private void separateAll() {
    closeFollowers(); // It may use the sinks, as the other threads do from now on.
    members.forEach(member -> member.separate(parts));
    members.clear();
    followers = new LiveFollowers(parts);
  }

  /** Separates the queries that a late event may make read so much that all would wait for them. */
  private void separateLong(Watermark reached) {
    long nowMicros = HlcTimestamp.micros(reached.hlc());
    if (nowMicros - searchedMicros < SEARCH_MICROS) {
      return;
    }
    // Every query may have to read again as much as the late bound, and somewhat more.
    long bound = 2 * parts.engine().limits().late().boundMicros();
    long limit = nowMicros - Math.max(REPEATED_MICROS, bound);
    List<Member> all = members.stream().filter(member -> member.mayReadBefore(limit)).toList();
    boolean isDue = !all.isEmpty() && hasEventsBefore(limit);
    if (isDue) {
      all.forEach(member -> separate(member.client));
    }
    if (!isDue || all.stream().noneMatch(members::contains)) {
      searchedMicros = nowMicros;
    }
  }

  private boolean hasEventsBefore(long micros) {
    try (EventSource.View view = parts.source().open()) {
      return hasEventsBefore(view, micros);
    } catch (PartitionException e) {
      return false; // It is looked at again soon.
    }
  }

  private static boolean hasEventsBefore(EventSource.View view, long micros) {
    return view.extent().filter(all -> HlcTimestamp.micros(all.from()) < micros).isPresent();
  }

  /** Separates the queries of a client if all of them can continue without loss. */
  private void separate(List<Member> client) {
    List<Member> leaving = members.stream().filter(client::contains).toList();
    if (leaving.stream().allMatch(Member::isSettled)) {
      for (Member member : leaving) {
        member.closeFollower();
        member.separate(parts);
        members.remove(member);
      }
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
    member.sink.setPatient(false);
    try {
      member.follower = followers.open(member.query, member.sink, member.opening);
    } catch (RqlException e) {
      members.remove(member);
      member.sink.failed(e);
    } catch (PartitionException e) {
      members.remove(member);
      member.separate(parts); // There it waits for the partition.
    }
  }

  private void removeEnded() {
    for (Iterator<Member> all = members.iterator(); all.hasNext(); ) {
      Member member = all.next();
      Optional<Runnable> end = end(member);
      if (end.isPresent()) {
        all.remove();
        member.closeFollower();
        end.get().run();
      }
    }
  }

  /** The report to the sink of a query that has ended; empty if it continues. */
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
