// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine.live;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.rql.answer.StreamPlace;
import io.retroscope.rql.cut.Catalog;
import io.retroscope.rql.cut.Watermark;
import io.retroscope.rql.diagnostic.RqlException;
import io.retroscope.rql.engine.live.ShownRows.Checkpoint;
import io.retroscope.rql.engine.statement.RunningQueries;
import io.retroscope.rql.engine.statement.StackGuard;
import io.retroscope.rql.engine.walk.QueryWalk;
import io.retroscope.rql.plan.BoundPlan;
import io.retroscope.rql.plan.QueryPlan;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * A STREAM query in progress; its walk continues as the watermark moves. Used by one thread.
 *
 * <p>The rows that were sent, without those that were retracted, are the rows of the past up to the
 * watermark, outside the ranges that are reported as lost. When an event comes late, another walk
 * begins before it, over all that is stored; the rows in which it differs are sent as late or
 * retracted, and it takes the place of the first one.
 */
public final class LiveWalk implements AutoCloseable {
  private final LongFunction<QueryPlan> plans;
  private final LiveShape shape;
  private final LateInterest interest;
  private final LiveOutput output;
  private final RunningQueries.Ticket ticket;
  private final long begin;
  private final Optional<StreamPlace> resumed;
  private @Nullable QueryWalk walk;
  private Runnable catchUp = () -> {};
  private @Nullable RqlException failure;
  private @Nullable RuntimeException breakage;

  /** The cuts of all walks before the present one, without those that it repeats. */
  private long cutsBefore;

  private boolean finished;
  private boolean closed;

  /**
   * Creates a query that its group has not begun.
   *
   * @param plans the plans of walks by their first stamps
   * @param plan one of them
   * @param start where its rows begin, ON TIME included
   */
  public LiveWalk(
      LongFunction<QueryPlan> plans,
      BoundPlan plan,
      LiveOutput output,
      RunningQueries.Ticket ticket,
      LiveStart start) {
    this.plans = plans;
    this.shape = LiveShape.of(plan);
    this.interest = LateInterest.of(plan);
    this.output = output;
    this.ticket = ticket;
    this.resumed = start.resumed();
    // A stream that is resumed has rows before it, which a late event may change as well.
    this.begin = resumed.isPresent() ? HlcTimestamp.MIN_PACKED : start.begin();
  }

  LiveShape shape() {
    return shape;
  }

  LiveOutput output() {
    return output;
  }

  /** The statement. */
  public String text() {
    return ticket.text();
  }

  /** Returns its first walk. */
  LiveTrack.Entry entry() {
    ticket.begin();
    return resumed
        .map(this::resume)
        .orElseGet(() -> new LiveTrack.Entry(this, plans.apply(begin), Optional.empty()));
  }

  private LiveTrack.Entry resume(StreamPlace at) {
    return new LiveTrack.Entry(this, plans.apply(at.start()), Optional.of(output.resume(at)));
  }

  /** Whether its first walk has begun, so that rows may have been sent. */
  public boolean hasBegun() {
    return walk != null;
  }

  /**
   * Begins its first walk, or another one in place of the last.
   *
   * @param catchingUp lets the query learn of all that the walk has passed
   */
  void setWalk(QueryWalk next, Runnable catchingUp) {
    walk = next;
    catchUp = catchingUp;
  }

  /** Notes that its walk has advanced. */
  void walked(boolean isComplete) {
    QueryWalk now = walk;
    if (now != null) {
      finished = isComplete;
      output.reached(now.place(), now.position());
      ticket.checkAlive();
    }
  }

  /** Ends the query with an error of its own; another one is a fault of the program. */
  void fail(Throwable error) {
    finished = true;
    if (error instanceof RuntimeException other && !(error instanceof RqlException)) {
      breakage = other;
    } else {
      failure = error instanceof RqlException own ? own : StackGuard.failure(text());
    }
  }

  /** The fault of the program that has ended the query; null if none has. */
  public @Nullable RuntimeException breakage() {
    return breakage;
  }

  /** The error that has ended the query; null if none has. */
  public @Nullable RqlException failure() {
    return failure;
  }

  /** Whether it sends no more rows: its LIMIT is reached, it has failed, or it was closed. */
  public boolean isFinished() {
    return finished;
  }

  /** The first stamp of an event that a walk takes into account if it comes late. */
  long firstAmendable() {
    return output.shown().floor().hlc() + 1;
  }

  /**
   * Reports rows as lost that an interrupted stream has sent and that are not found again.
   *
   * @param lateHlc packed, the lowest stamp of an event that came late
   */
  void noteLate(long lateHlc) {
    @Nullable StreamPlace awaited = walk == null ? resumed.orElse(null) : output.resumed();
    if (awaited != null && awaited.remembers() && lateHlc <= awaited.from()) {
      reportLost(lateHlc, awaited.from());
    }
  }

  /**
   * Begins an amendment.
   *
   * @param lateHlc packed, the lowest stamp of an event that came late
   * @param reached packed, the stamp up to which it has walked
   * @return the walk that finds its rows again
   */
  LiveTrack.Entry amend(long lateHlc, long reached) {
    cutsBefore = cuts();
    StreamPlace awaited = output.resumed();
    if (awaited != null) {
      return resume(awaited);
    }
    Checkpoint from = output.shown().before(lateHlc);
    if (lateHlc <= from.hlc() && !from.isBegin()) {
      output.reportLost(
          Math.max(lateHlc, begin), Math.min(from.hlc(), reached), "events came too late");
    }
    output.amend(from, reached);
    return new LiveTrack.Entry(this, plans.apply(from.start()), Optional.of(from.place()));
  }

  void endAmendment() {
    if (walk != null) {
      cutsBefore -= walk.figures().cuts();
    }
    if (failure == null) {
      output.endAmendment();
    }
  }

  /** Sets the number of the late events that were given to {@link #amend}, for its places. */
  public void setArrivals(long number) {
    output.shown().setArrivals(number);
  }

  /**
   * Reports rows as lost, because events at these stamps came while the stream was interrupted.
   *
   * @param from packed
   * @param until packed, inclusive
   */
  public void reportLost(long from, long until) {
    output.reportLost(Math.max(from, begin), until, "events came too late");
  }

  /** Sentences about the logs and variables of the query that a catalog does not have. */
  public List<String> unknownNames(Catalog catalog) {
    return walk == null ? List.of() : walk.unknownNames(catalog);
  }

  /**
   * The runs that hold and are too short for FOR so far: their packed starts by the item of FOR
   * EACH, which is empty without it.
   */
  public SortedMap<String, Long> youngRuns() {
    return walk == null || finished ? new TreeMap<>() : walk.youngRuns();
  }

  /** Of the nodes that a watermark leaves out, those that the query names or uses values of. */
  public NavigableMap<String, Long> missing(Watermark watermark) {
    NavigableMap<String, Long> silent = watermark.missingSince();
    return walk == null || silent.isEmpty() ? new TreeMap<>() : walk.missing(silent);
  }

  /** Which events change the answer if they come late. */
  public LateInterest interest() {
    return interest;
  }

  /** Returns the error that has ended the query, as KILL QUERY does; null if none has. */
  public @Nullable RqlException checkAlive() {
    try {
      ticket.checkAlive();
    } catch (RqlException e) {
      fail(e);
    }
    return failure;
  }

  /** The number of cuts so far. */
  public long cuts() {
    catchUp.run();
    return cutsBefore + (walk == null ? 0 : walk.figures().cuts());
  }

  /**
   * The stamp up to which the stream has no further rows: events before its own start are history,
   * even while the watermark still waits below it.
   *
   * @param reachedHlc packed, the watermark up to which it has walked
   */
  public long completeTo(long reachedHlc) {
    boolean isAbove = resumed.isEmpty() && begin > reachedHlc;
    return isAbove ? begin - 1 : reachedHlc;
  }

  /** The place at which the stream can be resumed after the rows so far. */
  public StreamPlace place() {
    catchUp.run();
    return output.place();
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      finished = true;
      if (walk != null) {
        walk.close();
      }
      ticket.close();
    }
  }
}
