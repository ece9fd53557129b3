// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.live;

import io.retroscope.event.EventBlock;
import io.retroscope.rql.answer.StreamPlace;
import io.retroscope.rql.engine.LateInterest;
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

  /** The last stored stamp at the start, which may be above the watermark. */
  private final long startHlc;

  private final List<LateArrivals> queries = new CopyOnWriteArrayList<>();
  private final Deque<Late> blocks = new ArrayDeque<>();
  private long number;

  private record Late(long number, long hlc, List<String> logs) {}

  /**
   * An empty log.
   *
   * @param run distinguishes this run of the server from others
   */
  public LateLog(WatermarkTracker watermarks, long run) {
    this.watermarks = watermarks;
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
    return run | number;
  }

  @Override
  public void stored(EventBlock block) {
    queries.forEach(query -> query.stored(block));
    if (block.firstHlc() <= Math.max(startHlc, watermarks.hlc())) {
      note(block);
    }
  }

  private synchronized void note(EventBlock block) {
    blocks.add(new Late(++number, block.firstHlc(), block.logs()));
    if (blocks.size() > MAX_BLOCKS) {
      blocks.remove();
    }
  }

  @Override
  public void heard(Collection<Incarnation> incarnations) {
    queries.forEach(query -> query.heard(incarnations));
  }

  /**
   * The lowest stamp of the blocks that came after a place of a query; {@link LateInterest#NONE} if
   * none did. Those before the start of the server are not known.
   */
  synchronized long firstAfter(StreamPlace place, LateInterest interest) {
    boolean isOfThisRun = place.arrivals() >> NUMBER_BITS == run >> NUMBER_BITS;
    long last = isOfThisRun ? place.arrivals() ^ run : 0;
    boolean areAllKnown = blocks.isEmpty() || blocks.getFirst().number() <= last + 1;
    return areAllKnown
        ? blocks.stream()
            .filter(late -> late.number() > last && interest.mayTake(late.logs()))
            .mapToLong(Late::hlc)
            .min()
            .orElse(LateInterest.NONE)
        : place.start();
  }
}
