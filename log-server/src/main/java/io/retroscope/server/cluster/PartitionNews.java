// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.cluster;

import io.retroscope.event.EventBlock;
import io.retroscope.server.cluster.NewsAnswer.News;
import io.retroscope.server.cluster.NewsAnswer.RunState;
import io.retroscope.server.cluster.NewsRequest.Known;
import io.retroscope.server.live.BlockNotice;
import io.retroscope.server.store.StoreListener;
import io.retroscope.server.store.run.Incarnation;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.LongSupplier;

/**
 * The news of a partition's store for the servers that follow it: the states of its runs, and
 * notices of the last blocks. Thread-safe.
 */
/*
 * A block gets the offset up to which records were stored when it was published: none of its records
 * is at or above. So all blocks of records from an offset on have a higher one, which holds for each
 * store of the partition, however it divides the records.
 */
final class PartitionNews implements StoreListener {
  /** The number of blocks that are remembered, for servers that followed another store. */
  static final int MAX_BLOCKS = 4_096;

  /** The number of runs in one answer. */
  static final int MAX_RUNS = 10_000;

  private final int partition;
  private final long feed;
  private final LongSupplier stored;
  private final Runnable signal;
  private final NavigableMap<Long, Incarnation> runs = new TreeMap<>();
  private final Map<Incarnation.Name, Long> numbers = new HashMap<>();
  private final Deque<Arrived> blocks = new ArrayDeque<>();
  private final List<BlockNotice> pendingBlocks = new ArrayList<>();
  private final List<Incarnation> pendingRuns = new ArrayList<>();
  private long number;
  private long offset;

  /** The offset of the last block that is not remembered. */
  private long forgottenOffset;

  private record Arrived(long offset, BlockNotice block) {}

  /**
   * The news from now on.
   *
   * @param feed differs from that of every other store, and is not 0
   * @param known the runs that are stored
   * @param stored the offset before which all records are published
   * @param signal called when there are news
   */
  PartitionNews(
      int partition,
      long feed,
      Collection<Incarnation> known,
      LongSupplier stored,
      Runnable signal) {
    this.partition = partition;
    this.feed = feed;
    this.stored = stored;
    this.signal = signal;
    this.offset = stored.getAsLong();
    this.forgottenOffset = offset;
    known.forEach(this::add);
  }

  @Override
  public synchronized void stored(EventBlock block) {
    if (!block.isEmpty()) {
      pendingBlocks.add(BlockNotice.of(block));
    }
  }

  @Override
  public synchronized void heard(Collection<Incarnation> incarnations) {
    pendingRuns.addAll(incarnations);
  }

  @Override
  public void published() {
    publish();
    signal.run();
  }

  private synchronized void publish() {
    long reached = stored.getAsLong();
    if (reached == offset) {
      return; // A record has changed the store, and its offset follows.
    }
    offset = reached;
    for (BlockNotice block : pendingBlocks) {
      blocks.add(new Arrived(offset, block));
      if (blocks.size() > MAX_BLOCKS) {
        forgottenOffset = blocks.remove().offset();
      }
    }
    pendingBlocks.clear();
    pendingRuns.forEach(this::add);
    pendingRuns.clear();
  }

  private void add(Incarnation run) {
    Long before = numbers.put(run.name(), ++number);
    if (before != null) {
      runs.remove(before);
    }
    runs.put(number, run);
  }

  /** Whether all records before an offset are stored. */
  synchronized boolean hasReached(long wanted) {
    return wanted <= offset;
  }

  /** What is not known; empty if there is nothing, or the store has not reached what is known. */
  synchronized Optional<News> since(Known known) {
    boolean isContinued = known.feed() == feed;
    long from = isContinued ? known.number() : 0;
    boolean isOld = isContinued && from == number && known.offset() == offset;
    if (offset < known.offset() || isOld) {
      return Optional.empty();
    }
    List<RunState> states = new ArrayList<>();
    long last = from;
    for (Map.Entry<Long, Incarnation> run : runs.tailMap(from, false).entrySet()) {
      if (states.size() == MAX_RUNS) {
        return Optional.of(
            new News(partition, feed, last, false, known.offset(), true, states, List.of()));
      }
      states.add(RunState.of(run.getValue()));
      last = run.getKey();
    }
    boolean isWhole = forgottenOffset <= known.offset();
    return Optional.of(
        new News(partition, feed, number, true, offset, isWhole, states, after(known.offset())));
  }

  private List<BlockNotice> after(long knownOffset) {
    LinkedList<BlockNotice> found = new LinkedList<>();
    for (Iterator<Arrived> last = blocks.descendingIterator(); last.hasNext(); ) {
      Arrived arrived = last.next();
      if (arrived.offset() <= knownOffset) {
        break;
      }
      found.addFirst(arrived.block());
    }
    return found;
  }
}
