// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.live;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.rql.answer.StreamPlace;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.Watermark;
import io.retroscope.rql.engine.LateInterest;
import io.retroscope.rql.engine.LiveStart;
import io.retroscope.rql.engine.LiveWalk;
import io.retroscope.rql.engine.PreparedQuery;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * A STREAM query that follows the watermark, one turn after the other. Used by one thread.
 *
 * <p>History ends and live begins at one watermark. The watermark is read before the view is
 * opened, so the view contains every event up to it, and all later events are above it, or late.
 */
public final class LiveFollower implements AutoCloseable {
  /** The distance between two reports of the stamp up to which the rows are complete. */
  private static final long REPORT_MICROS = 100_000;

  /** The interval at which names that are still unknown are reported again. */
  private static final long NAMES_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final StreamingQuery.Parts parts;
  private final WatermarkTracker watermarks;
  private final LiveSink sink;
  private final LateArrivals late;
  private final LiveWalk walk;
  private Watermark reached;
  private final Currency currency = new Currency();
  private long reported = HlcTimestamp.MIN_PACKED;
  private long namesCheckedNanos;

  /** Opens the query, and sends what it has at once. */
  public LiveFollower(
      StreamingQuery.Parts parts,
      PreparedQuery query,
      LiveSink sink,
      StreamingQuery.Opening opening) {
    Optional<StreamPlace> resumed = opening.resumed();
    this.parts = parts;
    this.watermarks = parts.watermarks();
    this.sink = sink;
    this.late = new LateArrivals(parts.clock());
    parts.late().add(late);
    watermarks.lanes().forEach(lane -> late.known(lane.incarnation()));
    this.reached = watermarks.current();
    late.announce(reached.hlc());
    resumed.ifPresent(place -> late.announce(place.hlc()));
    long number = parts.late().number();
    LiveStart start = LiveStart.at(reached, opening.begin()).resuming(resumed);
    try (EventSource.View view = parts.source().open()) {
      this.walk = parts.engine().openLive(query, view, start, sink);
    } catch (RuntimeException e) {
      parts.late().remove(late);
      throw e;
    }
    late.setInterest(walk.interest());
    resumed.ifPresent(this::reportMissed);
    walk.setArrivals(number);
    report();
    checkNames();
  }

  /** Reports rows that are too old to be found again, if events for them came meanwhile. */
  private void reportMissed(StreamPlace place) {
    long first = parts.late().firstAfter(place, walk.interest());
    if (place.remembers() && first <= place.from()) {
      walk.reportLost(first, place.from());
    }
  }

  /**
   * Sends new rows, after a wait for the watermark to advance.
   *
   * @return whether the query continues
   */
  boolean turn(long patienceMillis) throws InterruptedException {
    return step(watermarks.awaitAbove(reached.hlc(), patienceMillis));
  }

  /**
   * Sends the new rows up to a watermark.
   *
   * @param next never below an earlier one
   * @return whether the query continues
   */
  public boolean step(Watermark next) {
    long number = parts.late().number();
    walk.checkAlive();
    boolean isBack = !next.missing().containsAll(reached.missing());
    boolean moved = next.hlc() > reached.hlc();
    reached = next;
    boolean continues = amend(isBack);
    if (late.isEmpty()) {
      walk.setArrivals(number);
    }
    continues = continues && (!moved || advance());
    // A watermark that does not advance is reported as well: a client may wait for that stamp, or
    // for rows that are held.
    boolean news = reported < reached.hlc() || (watermarks.heldMicros() > 0 && !moved);
    if (news && (!moved || isDue())) {
      report();
    }
    tell();
    return continues;
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

  /** The lowest stamp of the events that came late and wait; {@link LateInterest#NONE} if none. */
  public long lowestLate() {
    return late.lowest();
  }

  /** Whether no event waits that came late. */
  public boolean isSettled() {
    return late.isEmpty();
  }

  /** Says since when the rows are not up to date, and which names are unknown. */
  private void tell() {
    long now = parts.clock().nanos();
    Unheard unheard = watermarks.unheard(walk.missing(reached).keySet());
    currency
        .note(unheard, walk.completeTo(reached.hlc()), now)
        .ifPresent(notice -> sink.notice(notice.sentence(), notice.reasons()));
    if (now - namesCheckedNanos >= NAMES_NANOS) {
      checkNames();
    }
  }

  private void checkNames() {
    namesCheckedNanos = parts.clock().nanos();
    try (EventSource.View view = parts.source().open()) {
      walk.unknownNames(view).forEach(sink::notice);
    }
  }

  private boolean isDue() {
    return HlcTimestamp.micros(reached.hlc()) - HlcTimestamp.micros(reported) >= REPORT_MICROS;
  }

  private boolean advance() {
    late.announce(reached.hlc());
    try (EventSource.View view = parts.source().open()) {
      return walk.advance(view, reached);
    }
  }

  /**
   * Sends what late events change.
   *
   * @param atOnce whether a node counts again, so that the next rows depend on its late events
   */
  private boolean amend(boolean atOnce) {
    long lowest = late.take(atOnce);
    if (lowest == LateInterest.NONE) {
      return true;
    }
    long began = parts.clock().nanos();
    try (EventSource.View view = parts.source().open()) {
      return walk.amend(view, reached, lowest);
    } finally {
      late.took(parts.clock().nanos() - began);
    }
  }

  /** Reports the place, and the stamp up to which rows are complete. */
  private void report() {
    reported = reached.hlc();
    sink.place(walk.place());
    sink.held(watermarks.heldMicros());
    sink.progress(walk.cuts(), walk.completeTo(reported));
  }

  @Override
  public void close() {
    parts.late().remove(late);
    walk.close();
  }
}
