// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.live;

import io.retroscope.event.EventBlock;
import io.retroscope.rql.answer.StreamPlace;
import io.retroscope.rql.engine.live.LateInterest;
import io.retroscope.server.store.StoreListener;
import io.retroscope.server.store.run.Incarnation;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * The blocks that arrived after the watermark had passed them, for live queries that run and for
 * those that are resumed. Thread-safe.
 *
 * <p>A query that is resumed finds by itself whether rows within the late bound have changed. This
 * log says whether events came for earlier ones while the query had no client.
 */
public final class LateLog implements StoreListener {
  /** The largest number of blocks that are remembered. */
  static final int MAX_BLOCKS = 1_024;

  private static final int NUMBER_BITS = 40;

  private final WatermarkTracker watermarks;
  private final long run;
  private final Numbers numbers;

  /** The last stored stamp at the start, which may be above the watermark. */
  private volatile long startHlc;

  private final List<LateArrivals> queries = new CopyOnWriteArrayList<>();
  private final Deque<Late> blocks = new ArrayDeque<>();

  /** The number of the last block that is not remembered, although it may have been late. */
  private long forgotten;

  /** The numbers of late blocks, by which they are compared with the places of streams. */
  public interface Numbers {
    /** The number of a block that comes now; never lower than an earlier one. */
    long next();

    /** The number up to which all blocks have come. */
    long reached();

    /** The number of the last block that a place of a stream surely takes into account. */
    long before(long placeNumber);
  }

  /** Numbers without gaps, which one server gives. Guarded by its log. */
  private static final class Counted implements Numbers {
    private long last;

    @Override
    public long next() {
      return ++last;
    }

    @Override
    public long reached() {
      return last;
    }

    @Override
    public long before(long placeNumber) {
      return placeNumber;
    }
  }

  private record Late(long number, long hlc, List<String> logs) {}

  /**
   * An empty log.
   *
   * @param run distinguishes this run of the server from others
   */
  public LateLog(WatermarkTracker watermarks, long run) {
    this(watermarks, run, new Counted());
  }

  /**
   * A log whose numbers other servers use as well, so that streams can be resumed at any of them.
   * The blocks that come before {@link #begin} are not known.
   *
   * @param run the same at all of these servers
   * @param numbers from 0 to 2<sup>40</sup>
   */
  public static LateLog shared(WatermarkTracker watermarks, long run, Numbers numbers) {
    LateLog log = new LateLog(watermarks, run, numbers);
    log.forgotten = Long.MAX_VALUE;
    return log;
  }

  /** From now on all blocks come that are stored. */
  public synchronized void begin() {
    startHlc = watermarks.openingHlc();
    forgotten = numbers.next();
  }

  private LateLog(WatermarkTracker watermarks, long run, Numbers numbers) {
    this.watermarks = watermarks;
    this.numbers = numbers;
    this.run = run << NUMBER_BITS;
    this.startHlc = watermarks.openingHlc();
  }

  void add(LateArrivals query) {
    queries.add(query);
  }

  void remove(LateArrivals query) {
    queries.remove(query);
  }

  /** The number of the last block, after all queries were notified of it. */
  synchronized long number() {
    return run | numbers.reached();
  }

  @Override
  public void stored(EventBlock block) {
    queries.forEach(query -> query.stored(block));
    note(block.firstHlc(), block.logs());
  }

  /** As {@link #stored}, for a block of which only a notice has come. */
  public void noticed(BlockNotice block) {
    queries.forEach(query -> query.noticed(block));
    note(block.firstHlc(), block.logs());
  }

  private void note(long firstHlc, List<String> logs) {
    if (firstHlc <= Math.max(startHlc, watermarks.hlc())) {
      remember(firstHlc, logs);
    }
  }

  private synchronized void remember(long firstHlc, List<String> logs) {
    blocks.add(new Late(numbers.next(), firstHlc, logs));
    if (blocks.size() > MAX_BLOCKS) {
      forgotten = blocks.remove().number();
    }
  }

  @Override
  public void heard(Collection<Incarnation> incarnations) {
    queries.forEach(query -> query.heard(incarnations));
  }

  /**
   * The lowest stamp of the blocks that came after a place of a query; {@link LateInterest#NONE} if
   * none did; the first stamp of its stream if that is not known.
   */
  synchronized long firstAfter(StreamPlace place, LateInterest interest) {
    boolean isOfThisRun = place.arrivals() >> NUMBER_BITS == run >> NUMBER_BITS;
    long last = isOfThisRun ? numbers.before(place.arrivals() ^ run) : 0;
    return forgotten <= last
        ? blocks.stream()
            .filter(late -> late.number() > last && interest.mayTake(late.logs()))
            .mapToLong(Late::hlc)
            .min()
            .orElse(LateInterest.NONE)
        : place.start();
  }
}
