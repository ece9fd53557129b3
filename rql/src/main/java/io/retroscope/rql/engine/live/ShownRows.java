// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine.live;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.rql.answer.StreamPlace;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.function.LongSupplier;

/**
 * The rows of a STREAM that were sent lately and not retracted, and the places from which a walk
 * can find them again. Bounded in time and in bytes. Used by one thread.
 */
final class ShownRows {
  /** An upper estimate of the heap that a row takes here, in bytes. */
  static final int ROW_BYTES = 64;

  /** The number of checkpoints over which the late bound, and the bound in bytes, are spread. */
  private static final long CHECKPOINTS = 64;

  /**
   * A row that was sent.
   *
   * @param found packed, the stamp at which the walk found it
   * @param hlc packed, its own stamp
   */
  record Shown(long found, long hlc, long digest) {}

  /**
   * A stamp at which a walk may begin.
   *
   * @param start packed: a walk from here finds all rows above {@code hlc} unchanged
   */
  record Checkpoint(long start, long hlc) {
    /** The checkpoint below all rows of a STREAM. */
    static Checkpoint below(long start) {
      return new Checkpoint(start, start == HlcTimestamp.MIN_PACKED ? start : start - 1);
    }

    /** Whether the STREAM has no rows below it. */
    boolean isBegin() {
      return start > hlc || start == HlcTimestamp.MIN_PACKED;
    }

    /** The place of a stream that has sent all rows up to here. */
    StreamPlace place() {
      return new StreamPlace(start, hlc, StreamPlace.ALL);
    }
  }

  private final long boundMicros;
  private final LongSupplier maxBytes;
  private final Deque<Shown> rows = new ArrayDeque<>();
  private final Deque<Checkpoint> checkpoints = new ArrayDeque<>();
  private long digest;
  private long arrivals;
  private int sinceCheckpoint;

  /**
   * Creates an empty memory.
   *
   * @param boundMicros rows found earlier than this before the last stamp are forgotten
   * @param maxBytes of heap, which may change; beyond it the oldest rows are forgotten earlier
   */
  ShownRows(long boundMicros, LongSupplier maxBytes, Checkpoint floor) {
    this.boundMicros = boundMicros;
    this.maxBytes = maxBytes;
    checkpoints.add(floor);
  }

  private long maxRows() {
    return Math.max(1, maxBytes.getAsLong() / ROW_BYTES);
  }

  /** The checkpoint above which all rows that were sent are known. */
  Checkpoint floor() {
    return checkpoints.getFirst();
  }

  /** The last checkpoint below a stamp, or the floor. */
  Checkpoint before(long hlc) {
    Checkpoint last = floor();
    for (Checkpoint next : checkpoints) {
      last = next.hlc() < hlc ? next : last;
    }
    return last;
  }

  /** The sum of the digests of its rows. */
  long digest() {
    return digest;
  }

  /**
   * Returns a place with this memory.
   *
   * @param row the digest of the row that is about to be sent; 0 without one
   */
  StreamPlace place(long hlc, int count, long row) {
    Checkpoint floor = floor();
    long from = Math.min(floor.hlc(), hlc);
    return new StreamPlace(floor.start(), hlc, count, from, digest, arrivals, row);
  }

  /** Sets the number of the late events that are taken into account. */
  void setArrivals(long number) {
    arrivals = number;
  }

  /** Counts a row that is about to be sent, so that it is part of the next {@link #place}. */
  void count(long rowDigest) {
    digest += rowDigest;
  }

  /** Removes a row from the count, because it is retracted. */
  void retract(Shown row) {
    digest -= row.digest();
  }

  /**
   * Remembers a row that is counted already.
   *
   * @param start from which a walk finds all rows from the stamp of the row on
   */
  void remember(Shown row, long start) {
    if (row.found() <= floor().hlc()) {
      digest -= row.digest();
      return;
    }
    if (rows.isEmpty() || rows.getLast().found() < row.found()) {
      checkpoint(start, row.found() - 1);
    }
    sinceCheckpoint++;
    rows.add(row);
    long maxRows = maxRows();
    while (rows.size() > maxRows) {
      forgetOldest(new Checkpoint(Math.min(start, row.found()), row.found()));
    }
  }

  private void forgetOldest(Checkpoint last) {
    checkpoints.removeFirst();
    if (checkpoints.isEmpty()) {
      checkpoints.add(last);
      sinceCheckpoint = 0;
    }
    forgetBelowFloor();
  }

  private void forgetBelowFloor() {
    while (!rows.isEmpty() && rows.getFirst().found() <= floor().hlc()) {
      digest -= rows.removeFirst().digest();
    }
  }

  /** Notes that all rows up to a stamp are found; forgets those that are too old. */
  void reached(long start, long hlc) {
    checkpoint(start, hlc);
    long oldest = HlcTimestamp.micros(hlc) - boundMicros;
    while (checkpoints.size() > 1 && HlcTimestamp.micros(second().hlc()) <= oldest) {
      checkpoints.removeFirst();
    }
    forgetBelowFloor();
  }

  private Checkpoint second() {
    Iterator<Checkpoint> all = checkpoints.iterator();
    all.next();
    return all.next();
  }

  private void checkpoint(long start, long hlc) {
    Checkpoint last = checkpoints.getLast();
    long sinceMicros = HlcTimestamp.micros(hlc) - HlcTimestamp.micros(last.hlc());
    boolean isDue =
        sinceMicros >= boundMicros / CHECKPOINTS || sinceCheckpoint * CHECKPOINTS >= maxRows();
    if (isDue && hlc > last.hlc()) {
      checkpoints.add(new Checkpoint(Math.min(start, hlc), hlc));
      sinceCheckpoint = 0;
    }
  }

  /**
   * Removes the rows found above a checkpoint, and the later checkpoints. The rows remain counted
   * until they are retracted.
   *
   * @return the removed rows, in order
   */
  Deque<Shown> takeAbove(Checkpoint checkpoint) {
    while (checkpoints.getLast().hlc() > checkpoint.hlc()) {
      checkpoints.removeLast();
    }
    Deque<Shown> taken = new ArrayDeque<>();
    while (!rows.isEmpty() && rows.getLast().found() > checkpoint.hlc()) {
      taken.addFirst(rows.removeLast());
    }
    sinceCheckpoint = 0;
    return taken;
  }
}
