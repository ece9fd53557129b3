// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.rql.answer.StreamPlace;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.EventSource.Sighting;
import io.retroscope.rql.cut.Watermark;
import io.retroscope.rql.diagnostic.RqlException;
import io.retroscope.rql.engine.ShownRows.Checkpoint;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
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
  private final Walks walks;
  private final LiveOutput output;
  private final RunningQueries.Ticket ticket;
  private final LateInterest interest;
  private final long begin;
  private final boolean isResumed;
  private final Map<String, Long> firstSeen = new HashMap<>();
  private List<Sighting> arrivals = List.of();
  private QueryWalk walk;
  private long cutsBefore;
  private boolean finished;
  private boolean closed;

  /** A maker of walks of one statement. */
  interface Walks {
    /**
     * Opens a walk.
     *
     * @param start packed, its first stamp
     * @param sent the place up to which it passes over rows
     */
    QueryWalk open(long start, Optional<StreamPlace> sent);
  }

  /**
   * Opens the first walk.
   *
   * @param begin packed, the first stamp of a stream that is not resumed
   */
  LiveWalk(
      Walks walks,
      LiveOutput output,
      RunningQueries.Ticket ticket,
      LateInterest interest,
      long begin,
      Optional<StreamPlace> resumed) {
    this.walks = walks;
    this.output = output;
    this.ticket = ticket;
    this.interest = interest;
    // A stream that is resumed has rows before it, which a late event may change as well.
    this.begin = resumed.isPresent() ? HlcTimestamp.MIN_PACKED : begin;
    this.isResumed = resumed.isPresent();
    this.walk = resumed.map(this::resume).orElseGet(() -> walks.open(begin, Optional.empty()));
  }

  private QueryWalk resume(StreamPlace at) {
    return walks.open(at.start(), Optional.of(output.resume(at)));
  }

  void begin(EventSource.View view, Watermark start) {
    ticket.begin();
    isNodeNew(view);
    walk.begin();
    advance(view, start);
  }

  /**
   * Walks from the present position up to the watermark and sends the rows found.
   *
   * @param view holds every event up to the watermark; read during this call only
   * @param watermark never below an earlier one
   * @return whether the query continues; false after its LIMIT or if its sink wants no more rows
   * @throws RqlException if a cut cannot be evaluated, or KILL QUERY has ended the query
   */
  public boolean advance(EventSource.View view, Watermark watermark) {
    if (!finished && isNodeNew(view)) {
      amend(view, watermark, output.shown().floor().hlc() + 1);
    }
    return walkTo(view, watermark, watermark.hlc());
  }

  private boolean walkTo(EventSource.View view, Watermark watermark, long hlc) {
    if (finished) {
      return false;
    }
    walk.setSilent(watermark.missingSince());
    finished = !StackGuard.guarded(walk.text(), () -> walk.advance(view, hlc));
    output.reached(walk.place(), walk.position());
    ticket.checkAlive();
    return !finished;
  }

  /**
   * Sends what an event that came late changes in the rows that were sent.
   *
   * @param view holds the event
   * @param watermark the present one
   * @param lateHlc packed, the lowest stamp of such an event
   * @return as {@link #advance}
   */
  public boolean amend(EventSource.View view, Watermark watermark, long lateHlc) {
    long reached = walk.position();
    StreamPlace awaited = output.resumed();
    if (awaited != null && awaited.remembers() && lateHlc <= awaited.from()) {
      reportLost(lateHlc, awaited.from());
    }
    if (finished || lateHlc > reached) {
      return !finished;
    }
    if (awaited != null) {
      return continueWith(resume(awaited), view, watermark, reached);
    }
    Checkpoint from = output.shown().before(lateHlc);
    if (lateHlc <= from.hlc() && !from.isBegin()) {
      output.reportLost(
          Math.max(lateHlc, begin), Math.min(from.hlc(), reached), "events came too late");
    }
    output.amend(from, reached);
    continueWith(walks.open(from.start(), Optional.of(from.place())), view, watermark, reached);
    output.endAmendment();
    return !finished;
  }

  private boolean continueWith(
      QueryWalk other, EventSource.View view, Watermark watermark, long reached) {
    long cuts = cuts();
    walk = other;
    walk.begin();
    walkTo(view, watermark, reached);
    cutsBefore = cuts - walk.figures().cuts();
    return !finished;
  }

  /** Whether a node is new that is in cuts that were walked without it. */
  private boolean isNodeNew(EventSource.View view) {
    List<Sighting> all = view.arrivals();
    boolean isNew = false;
    if (all != arrivals) {
      arrivals = all;
      for (Sighting seen : all) {
        @Nullable Long before = firstSeen.put(seen.node(), seen.hlc());
        isNew |= seen.hlc() <= walk.position() && (before == null || before > seen.hlc());
      }
    }
    return isNew;
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

  /** Sentences about the logs and variables of the query that no event has named so far. */
  public List<String> unknownNames(EventSource.View view) {
    return walk.unknownNames(view);
  }

  /** Of the nodes that a watermark leaves out, those that the query names or uses values of. */
  public NavigableMap<String, Long> missing(Watermark watermark) {
    return walk.missing(watermark.missingSince());
  }

  /** Which events change the answer if they come late. */
  public LateInterest interest() {
    return interest;
  }

  /**
   * Checks that KILL QUERY has not ended the query.
   *
   * @throws RqlException if it has
   */
  public void checkAlive() {
    ticket.checkAlive();
  }

  /** The number of cuts so far. */
  public long cuts() {
    return cutsBefore + walk.figures().cuts();
  }

  /**
   * The stamp up to which the stream has no further rows: events before its own start are history,
   * even while the watermark still waits below it.
   *
   * @param reachedHlc packed, the watermark up to which it has walked
   */
  public long completeTo(long reachedHlc) {
    boolean isAbove = !isResumed && begin > reachedHlc;
    return isAbove ? begin - 1 : reachedHlc;
  }

  /** The place at which the stream can be resumed after the rows so far. */
  public StreamPlace place() {
    return output.place();
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      finished = true;
      walk.close();
      ticket.close();
    }
  }
}
