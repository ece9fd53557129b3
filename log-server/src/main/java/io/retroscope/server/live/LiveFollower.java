// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.live;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.rql.answer.StreamPlace;
import io.retroscope.rql.cut.Incompleteness;
import io.retroscope.rql.cut.Watermark;
import io.retroscope.rql.diagnostic.RqlException;
import io.retroscope.rql.engine.live.LateInterest;
import io.retroscope.rql.engine.live.LiveWalk;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One of the queries that {@link LiveFollowers} follow the watermark with. Used by one thread. */
public final class LiveFollower implements AutoCloseable {
  /** The distance between two reports of the stamp up to which the rows are complete. */
  private static final long REPORT_MICROS = 100_000;

  /** The part of that distance that each of many queries needs: each report wakes its client. */
  private static final long REPORT_MICROS_EACH = 1_000;

  /** The interval at which the reasons for doubt are looked at, for each of many queries. */
  private static final long TELL_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  /** The interval at which names that are still unknown are reported again. */
  private static final long NAMES_NANOS = TimeUnit.MINUTES.toNanos(1);

  private static final Logger logger = LoggerFactory.getLogger(LiveFollower.class);

  private final LiveFollowers others;
  private final StreamingQuery.Parts parts;
  private final LiveSink sink;
  private final LiveWalk walk;
  private final LateArrivals late;
  private Watermark reached = new Watermark(HlcTimestamp.MIN_PACKED, new TreeMap<>());
  private final Currency currency = new Currency();
  private long reported = HlcTimestamp.MIN_PACKED;
  private long toldNanos;
  private long namesCheckedNanos;
  private boolean begun;

  LiveFollower(
      LiveFollowers others,
      StreamingQuery.Parts parts,
      LiveSink sink,
      LiveWalk walk,
      LateArrivals late) {
    this.others = others;
    this.parts = parts;
    this.sink = sink;
    this.walk = walk;
    this.late = late;
    this.namesCheckedNanos = parts.clock().nanos() - NAMES_NANOS;
  }

  /**
   * Notes that it continues after the rows up to a place. Reports those that are too old to be
   * found again, if events for them came meanwhile.
   */
  void resume(StreamPlace place) {
    reached = new Watermark(place.hlc(), new TreeMap<>());
    long first = parts.late().firstAfter(place, walk.interest());
    if (place.remembers() && first <= place.from()) {
      walk.reportLost(first, place.from());
    }
  }

  LateArrivals late() {
    return late;
  }

  /** Whether it has taken no step. */
  boolean isNew() {
    return !begun;
  }

  /** Whether rows may have been sent. */
  boolean hasBegun() {
    return walk.hasBegun();
  }

  /** Whether it sends no more rows. */
  public boolean isFinished() {
    return walk.isFinished();
  }

  /** Whether an error has ended it, which its sink has received. */
  public boolean hasFailed() {
    return walk.failure() != null || walk.breakage() != null;
  }

  /** Reports what rows do not say, after those of a step. */
  void stepped(LiveStep step) {
    reached = step.reached();
    if (ends()) {
      return;
    }
    if (late.isEmpty()) {
      walk.setArrivals(step.lateNumber());
    }
    // Also while the watermark does not move: what found no room in the sink may find some now.
    sink.reached(walk.completeTo(reached.hlc()));
    // A watermark that does not advance is reported as well: a client may wait for that stamp, or
    // for rows that are held.
    boolean news = reported < reached.hlc() || (step.heldMicros() > 0 && !step.moved());
    if (!begun || (news && (!step.moved() || isDue()))) {
      report(step.heldMicros());
    }
    tell(step, List.of());
    begun = true;
  }

  /**
   * Checks that it could read what it needed for its last rows.
   *
   * @throws PartitionException if it could not: then it can continue from its place
   */
  void checkRead() {
    if (walk.breakage() instanceof PartitionException unreadable) {
      throw unreadable;
    }
  }

  /** Says that the rows wait for what cannot be read now. */
  void held(LiveStep step, String reason) {
    if (!ends()) {
      tell(step, List.of(new Incompleteness.AfterEnd(walk.completeTo(reached.hlc()), reason)));
    }
  }

  /** Tells the sink if an error has ended the query; returns whether one has. */
  private boolean ends() {
    RuntimeException breakage = walk.breakage();
    if (breakage != null) {
      logger.error("a live query failed: {}", walk.text(), breakage);
      close();
      sink.broken("the server failed to continue the query: see the server's log");
      return true;
    }
    RqlException failure = walk.checkAlive();
    if (failure != null) {
      close();
      sink.failed(failure);
      return true;
    }
    return false;
  }

  /** The watermark up to which rows were sent. */
  public Watermark reached() {
    return reached;
  }

  /** The place after the rows so far. */
  public StreamPlace place() {
    return walk.place();
  }

  /**
   * The nodes that the watermark leaves out although the query names them or uses values of theirs.
   */
  public Set<String> missing() {
    return walk.missing(reached).keySet();
  }

  /** The runs that hold and are too short for FOR so far: their packed starts by the item. */
  public SortedMap<String, Long> youngRuns() {
    return walk.youngRuns();
  }

  /** The lowest stamp of the events that came late and wait; {@link LateInterest#NONE} if none. */
  public long lowestLate() {
    return late.lowest();
  }

  /** Whether no event waits that came late. */
  public boolean isSettled() {
    return late.isEmpty();
  }

  /**
   * Says since when the rows are not up to date, and which names are unknown.
   *
   * @param unread what cannot be read now
   */
  private void tell(LiveStep step, List<Incompleteness> unread) {
    long now = parts.clock().nanos();
    if (!sink.takesWarnings() || (begun && now - toldNanos < TELL_NANOS)) {
      return;
    }
    toldNanos = now;
    Unheard unheard = step.unheard(missing()).awaiting(unread);
    currency
        .note(unheard, walk.completeTo(reached.hlc()), now)
        .ifPresent(notice -> sink.notice(notice.sentence(), notice.reasons()));
    boolean isDue = now - namesCheckedNanos >= NAMES_NANOS;
    // What is not read to its end may be unreadable: a look at it could take long.
    if (isDue && unread.isEmpty() && parts.watermarks().holdingInflows().isEmpty()) {
      namesCheckedNanos = now;
      checkNames(step);
    }
  }

  private void checkNames(LiveStep step) {
    try {
      walk.unknownNames(step.names()).forEach(sink::notice);
    } catch (PartitionException e) {
      // The next step says so.
    }
  }

  private boolean isDue() {
    long distance = Math.max(REPORT_MICROS, REPORT_MICROS_EACH * others.size());
    return HlcTimestamp.micros(reached.hlc()) - HlcTimestamp.micros(reported) >= distance;
  }

  /** Reports the place, and the stamp up to which rows are complete. */
  private void report(long heldMicros) {
    reported = reached.hlc();
    sink.place(walk.place());
    sink.held(heldMicros);
    sink.progress(walk.cuts(), walk.completeTo(reported));
  }

  @Override
  public void close() {
    others.remove(this);
    walk.close();
  }
}
