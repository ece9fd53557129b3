// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine.live;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.RowSink;
import io.retroscope.rql.answer.StreamPlace;
import io.retroscope.rql.engine.live.ShownRows.Checkpoint;
import io.retroscope.rql.engine.live.ShownRows.Shown;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The rows of a STREAM over all its walks. A walk may find rows that were sent, because it resumes
 * an earlier stream, or because it begins again before an event that came late. Used by one thread.
 */
public final class LiveOutput implements RowSink {
  /** The largest number of sentences that are remembered so that no walk repeats them. */
  private static final int MAX_SENTENCES = 1_000;

  private final RowSink sink;
  private final Set<String> sentences = new LinkedHashSet<>();
  private final long boundMicros;
  private final LongSupplier maxBytes;
  private ShownRows shown;
  private @Nullable AnswerDigest digests;

  /** The place of the walk. */
  private StreamPlace place;

  /** The place at which an earlier stream ended, until the walk has reached it. */
  private @Nullable StreamPlace resumed;

  private @Nullable Amendment amendment;

  /** The stamp up to which all rows were sent before the amendment. */
  private long amendedHlc;

  /**
   * Creates an output without rows.
   *
   * @param sink receives the rows, also those that come late or are retracted
   * @param begin the packed stamp at which the rows begin
   * @param boundMicros how late an event may come without loss
   * @param maxBytes of heap for the rows that are remembered, which may change
   */
  public LiveOutput(RowSink sink, long begin, long boundMicros, LongSupplier maxBytes) {
    Checkpoint floor = Checkpoint.below(begin);
    this.sink = sink;
    this.boundMicros = boundMicros;
    this.maxBytes = maxBytes;
    this.shown = new ShownRows(boundMicros, maxBytes, floor);
    this.place = floor.place();
  }

  /**
   * Begins at a place at which an earlier stream ended.
   *
   * @return the place up to which the walk passes over rows
   */
  StreamPlace resume(StreamPlace at) {
    shown = new ShownRows(boundMicros, maxBytes, new Checkpoint(at.start(), at.from()));
    shown.setArrivals(at.arrivals());
    resumed = at;
    place = at;
    return at.remembers() ? shown.floor().place() : at;
  }

  /** The place at which the walk resumes and that it has not reached; null if there is none. */
  @Nullable StreamPlace resumed() {
    return resumed;
  }

  /** Whether it may learn later that the walk has reached a stamp without rows. */
  boolean rests() {
    return resumed == null && !sink.takesWarnings();
  }

  /** The rows that were sent lately. */
  ShownRows shown() {
    return shown;
  }

  /**
   * Begins an amendment: the next walk finds the rows above a checkpoint again.
   *
   * @param reachedHlc the stamp up to which all rows were sent
   */
  void amend(Checkpoint from, long reachedHlc) {
    amendedHlc = reachedHlc;
    amendment = new Amendment(shown.takeAbove(from), this::retract);
  }

  /** Ends the amendment: the walk has reached the stamp up to which rows were sent. */
  void endAmendment() {
    if (amendment != null) {
      amendment.end();
      amendment = null;
    }
  }

  /**
   * Notes that the walk has found all rows up to a stamp.
   *
   * @param at its place
   */
  void reached(StreamPlace at, long hlc) {
    place = at;
    if (resumed != null && hlc >= resumed.hlc()) {
      endResumption(resumed);
    }
    if (resumed == null) {
      shown.reached(at.start(), at.hlc());
    }
  }

  /** The place after the rows so far. */
  StreamPlace place() {
    if (resumed != null) {
      return resumed;
    }
    return amendment != null
        ? shown.place(amendedHlc, StreamPlace.ALL, 0)
        : shown.place(place.hlc(), place.count(), 0);
  }

  @Override
  public void columns(List<Column> columns) {
    if (digests == null) {
      digests = new AnswerDigest(columns);
      sink.columns(columns);
    }
  }

  @Override
  public void place(StreamPlace at) {
    place = at;
  }

  @Override
  public boolean row(Row row) {
    if (digests == null) {
      throw new AssertionError("a row without columns");
    }
    Shown next = new Shown(place.hlc(), row.hlc(), digests.of(row));
    if (resumed != null && resumed.isPast(place.hlc(), place.count())) {
      if (resumed.remembers()) {
        shown.count(next.digest());
        shown.remember(next, place.start());
      }
      return true;
    }
    if (resumed != null) {
      endResumption(resumed);
    }
    sink.found(next.found());
    return amendment == null ? send(row, next) : amend(row, next, amendment);
  }

  private boolean send(Row row, Shown next) {
    shown.count(next.digest());
    sink.place(shown.place(place.hlc(), place.count(), next.digest()));
    shown.remember(next, place.start());
    return sink.row(row);
  }

  private boolean amend(Row row, Shown next, Amendment compared) {
    boolean isSent = compared.isSent(next);
    if (!isSent) {
      shown.count(next.digest());
      sink.place(shown.place(amendedHlc, StreamPlace.ALL, next.digest()));
    }
    shown.remember(next, place.start());
    return isSent || sink.late(row);
  }

  private void retract(Shown row) {
    shown.retract(row);
    sink.place(shown.place(amendedHlc, StreamPlace.ALL, 0));
    sink.retracted(row.digest(), row.hlc());
  }

  private void endResumption(StreamPlace at) {
    resumed = null;
    if (at.remembers() && shown.digest() != at.digest()) {
      reportLost(at.from() + 1, at.hlc(), "events came late while the stream was interrupted");
    }
  }

  /** Reports a range in which rows may differ from those that were sent. */
  void reportLost(long from, long until, String reason) {
    sink.lost(
        from,
        until,
        "%s: rows from %s to %s may be missing, or may not hold; query this range again"
            .formatted(reason, HlcTimestamp.text(from), HlcTimestamp.text(until)));
  }

  @Override
  public void warning(String message) {
    if (sentences.size() < MAX_SENTENCES && sentences.add(message)) {
      sink.warning(message);
    }
  }

  @Override
  public boolean takesWarnings() {
    return sink.takesWarnings();
  }

  @Override
  public void notice(String sentence) {
    sink.notice(sentence);
  }

  @Override
  public void progress(long cuts, long hlc) {
    if (resumed == null && amendment == null) {
      sink.place(place());
      sink.progress(cuts, hlc);
    }
  }

  @Override
  public boolean cancelled() {
    return sink.cancelled();
  }
}
