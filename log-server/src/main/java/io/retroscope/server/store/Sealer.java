// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store;

import io.retroscope.blocks.Run;
import io.retroscope.blocks.StoreNames;
import io.retroscope.blocks.read.SealedBlock;
import io.retroscope.blocks.sealed.RowDigest;
import io.retroscope.blocks.sealed.Sealing;
import io.retroscope.blocks.timeline.TimelineCodec;
import io.retroscope.blocks.zone.LongCounts;
import io.retroscope.event.CorruptBlockException;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventKind;
import io.retroscope.rql.cut.NaturalOrder;
import io.retroscope.server.memory.MemoryBudget;
import io.retroscope.server.store.StoreOptions.SealLimits;
import io.retroscope.server.store.disk.StoreException;
import io.retroscope.server.store.zone.BlockIndex;
import io.retroscope.server.store.zone.BlockZone;
import io.retroscope.server.store.zone.SealedParts;
import io.retroscope.server.store.zone.SummaryCodec;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Replaces blocks that arrived by sealed ones, a batch at a time, those that end first before all
 * others. Used by one thread at a time.
 */
final class Sealer {
  /*
   * A batch contains all rows up to its end, the last stamp of the blocks that are sealed as a
   * whole. Other blocks that begin before it are split there: their later rows become blocks like
   * those that arrived. So the ranges of successive batches follow each other, and a query need not
   * merge their sealed blocks, however long a block of one node is. If the blocks to split hold too
   * many rows, the batch grows; if they still do, no block is split, and the batches overlap.
   *
   * A batch is complete when it is submitted: for each of its logs the sealed blocks with all of
   * its rows, blocks of the empty log with all starts and stops, and the later parts of the blocks
   * that were split. One atomic change then puts these and deletes the arrivals. Nothing depends on
   * the batch being the last one for its range of stamps: late blocks are sealed in a later batch,
   * whose blocks overlap the earlier ones, and a scan merges them as it merges blocks that arrived.
   *
   * Sealed blocks take the highest ids of their batch, and parts of blocks take new ones. So
   * retention, which removes blocks in the order of their ids, and a crash in the middle of it never
   * remove an event earlier than they would have removed its arrival. The ids of parts are new
   * because an open view still reads the block that was split.
   *
   * HAZARD: the arrivals are deleted, so a wrong sealed block would be a wrong answer for ever. So
   * the sealed blocks are decoded again and compared with the arrivals by a digest before that.
   */
  private static final Logger logger = LoggerFactory.getLogger(Sealer.class);

  /** The approximate memory per row of the arrivals, the sealed blocks and their copies. */
  private static final long ROW_BYTES = 250;

  /**
   * The factor by which a batch grows if sealing would not reduce the number of blocks, or if too
   * many rows are in blocks that would be split.
   */
  private static final int MAX_GROWTH = 4;

  /** The number of blocks that are read from the database at once. */
  private static final int READ_TOGETHER = 256;

  /** The largest number of rows in blocks that are split, per row of those sealed as a whole. */
  private static final int MAX_SPLIT = 2;

  private static final Comparator<Run> TIES =
      Comparator.comparing(Run::node, NaturalOrder.INSTANCE).thenComparing(Run::incarnation);

  private static final Comparator<BlockZone> BY_END =
      (a, b) ->
          a.lastHlc() == b.lastHlc()
              ? Long.compare(a.id(), b.id())
              : Long.compare(a.lastHlc(), b.lastHlc());

  private final StoreState state;
  private final SealLimits limits;
  private final MemoryBudget memory;
  private final Consumer<Submission.Sealing> committer;

  /** The ids of blocks that remain as they arrived. */
  private final Set<Long> skipped = new HashSet<>();

  private int growth = 1;

  /**
   * A sealer.
   *
   * @param committer makes a replacement durable and visible before it returns
   */
  Sealer(StoreState state, StoreOptions options, Consumer<Submission.Sealing> committer) {
    this.state = state;
    this.limits = options.sealing();
    this.memory = options.memory();
    this.committer = committer;
  }

  /**
   * Blocks that are sealed together.
   *
   * @param zones of the blocks
   * @param end packed; rows above it are not sealed
   * @param rows the number of rows of the blocks
   */
  private record Batch(List<BlockZone> zones, long end, long rows) {
    static Batch of(List<BlockZone> zones, long end) {
      return new Batch(zones, end, zones.stream().mapToLong(BlockZone::eventCount).sum());
    }

    long memoryBytes() {
      return rows * ROW_BYTES;
    }
  }

  /**
   * Seals one batch of the blocks that end at or below a stamp.
   *
   * @param horizon packed
   * @return the number of blocks that were replaced; 0 if too few wait
   * @throws StoreException if the store cannot be read or written
   */
  int seal(long horizon) {
    skipped.removeIf(state.blocks()::isRemoved);
    Batch whole = Batch.of(earliest(horizon, growth), Long.MAX_VALUE);
    if (!isFull(whole.zones.size(), whole.rows, growth)) {
      return 0;
    }
    try (MemoryBudget.Charge charge = memory.charge()) {
      Batch batch =
          upToItsEnd(whole, horizon)
              .filter(split -> charge.tryResize(split.memoryBytes()))
              .orElse(whole);
      return charge.tryResize(batch.memoryBytes()) ? seal(batch) : 0;
    }
  }

  /** Unsealed blocks, those that end first, as many as a batch takes. */
  private List<BlockZone> earliest(long horizon, int factor) {
    BlockIndex.Snapshot index = state.published().index();
    PriorityQueue<BlockZone> chosen = new PriorityQueue<>(BY_END.reversed());
    long rows = 0;
    for (int i = 0; i < index.size(); i++) {
      boolean isFull = isFull(chosen.size(), rows, factor);
      if (index.lastHlc(i) > (isFull ? chosen.element().lastHlc() : horizon)) {
        continue;
      }
      BlockZone zone = index.zone(i);
      if ((isFull && BY_END.compare(zone, chosen.element()) > 0) || !isWaiting(zone)) {
        continue;
      }
      chosen.add(zone);
      rows += zone.eventCount();
      BlockZone last = chosen.element();
      while (isFull(chosen.size() - 1, rows - last.eventCount(), factor)) {
        chosen.remove();
        rows -= last.eventCount();
        last = chosen.element();
      }
    }
    return new ArrayList<>(chosen);
  }

  private boolean isWaiting(BlockZone zone) {
    return !zone.isSealed() && (skipped.isEmpty() || !skipped.contains(zone.id()));
  }

  private boolean isFull(int blocks, long rows, int factor) {
    return rows >= (long) factor * limits.batchRows()
        || blocks >= (long) factor * limits.batchBlocks();
  }

  /** A batch with the rows of all other blocks up to its end; empty if these are too large. */
  private Optional<Batch> upToItsEnd(Batch smallest, long horizon) {
    Batch whole = smallest;
    for (int factor = growth; isFull(whole.zones.size(), whole.rows, factor); ) {
      long end = whole.zones.stream().mapToLong(BlockZone::lastHlc).max().orElseThrow();
      Batch all = Batch.of(beginningUpTo(end), end);
      if (all.rows - whole.rows <= MAX_SPLIT * whole.rows) {
        return Optional.of(all);
      }
      factor *= 2;
      if (factor > MAX_GROWTH) {
        break;
      }
      whole = Batch.of(earliest(horizon, factor), Long.MAX_VALUE);
    }
    return Optional.empty();
  }

  private List<BlockZone> beginningUpTo(long end) {
    BlockIndex.Snapshot index = state.published().index();
    List<BlockZone> zones = new ArrayList<>();
    for (int i = 0; i < index.size(); i++) {
      if (index.firstHlc(i) <= end && isWaiting(index.zone(i))) {
        zones.add(index.zone(i));
      }
    }
    return zones;
  }

  private int seal(Batch batch) {
    List<BlockZone> ordered = new ArrayList<>(batch.zones);
    ordered.sort(Comparator.comparingLong(BlockZone::id));
    List<BlockZone> zones = new ArrayList<>();
    List<EventBlock> arrivals = new ArrayList<>();
    for (int from = 0; from < ordered.size(); from += READ_TOGETHER) {
      List<BlockZone> some = ordered.subList(from, Math.min(ordered.size(), from + READ_TOGETHER));
      List<EventBlock> blocks = state.blocks().arrivals(some, state.latest());
      for (int i = 0; i < some.size(); i++) {
        if (isSealable(blocks.get(i))) {
          zones.add(some.get(i));
          arrivals.add(blocks.get(i));
        } else {
          skipped.add(some.get(i).id());
        }
      }
    }
    List<MadeBlock> rests = rests(arrivals, batch.end);
    List<Part> parts =
        zones.isEmpty() ? List.of() : checkedParts(zones, arrivals, batch.end, rests);
    if (parts.isEmpty() || !isWorthwhile(parts, zones)) {
      return 0;
    }
    committer.accept(new Submission.Sealing(zones, submission(parts, zones), rests));
    growth = 1;
    return zones.size();
  }

  /** Blocks of the rows above a stamp. */
  private static List<MadeBlock> rests(List<EventBlock> arrivals, long end) {
    List<MadeBlock> rests = new ArrayList<>();
    for (EventBlock block : arrivals) {
      if (block.lastHlc() > end) {
        MadeBlock.above(end, block, rests::add);
      }
    }
    return rests;
  }

  /** The sealed blocks; blocks that cannot be sealed are not tried again. */
  private List<Part> checkedParts(
      List<BlockZone> zones, List<EventBlock> arrivals, long end, List<MadeBlock> rests) {
    try {
      List<Part> parts = parts(zones, arrivals, end);
      long after =
          RowDigest.of(parts.stream().map(Part::rows).toList())
              + RowDigest.of(rests.stream().map(MadeBlock::block).toList());
      if (RowDigest.of(arrivals) != after) {
        throw new AssertionError("sealed blocks differ from those that arrived: " + parts);
      }
      return parts;
    } catch (RuntimeException | AssertionError e) {
      skip(zones);
      throw e;
    }
  }

  private void skip(List<BlockZone> zones) {
    logger.info("{} blocks from {} on remain as they arrived", zones.size(), zones.get(0).id());
    zones.forEach(zone -> skipped.add(zone.id()));
    growth = 1;
  }

  /** A sealed block and its rows as they will be read. */
  private record Part(SealedBlock block, EventBlock rows) {
    @Override
    public String toString() {
      return block.log() + ": " + rows;
    }
  }

  /**
   * Whether all of a block's rows are in one of the sealed blocks. Heartbeats are in none, and
   * another recorder may have put an event into a log in which it is not expected.
   */
  private static boolean isSealable(EventBlock block) {
    if (block.writesLongsOnly() && !block.logs().contains("")) {
      return !block.isEmpty();
    }
    for (int row = 0; row < block.size(); row++) {
      EventKind kind = block.kind(row);
      boolean hasLog = !block.logs().get(block.logIndex(row)).isEmpty();
      if (kind == EventKind.HEARTBEAT || kind.isOfNode() == hasLog) {
        return false;
      }
    }
    return !block.isEmpty();
  }

  private List<Part> parts(List<BlockZone> zones, List<EventBlock> arrivals, long end) {
    Set<String> logs = new TreeSet<>();
    arrivals.forEach(block -> logs.addAll(block.logs()));
    StoreNames names = state.blocks().names().tables();
    List<Part> parts = new ArrayList<>();
    for (String log : logs) {
      List<EventBlock> own =
          log.isEmpty()
              ? arrivals
              : arrivals.stream().filter(block -> block.logs().contains(log)).toList();
      long[] borders = state.published().index().sealingBorders(zones, end, log);
      Sealing sealing = new Sealing(log, names, TIES, limits.rows());
      for (SealedBlock block : sealing.seal(own, borders, end)) {
        try {
          EventBlock rows = block.rows();
          if (!rows.isEmpty()) {
            parts.add(new Part(block, rows));
          }
        } catch (CorruptBlockException e) {
          throw new AssertionError("a block that was just sealed cannot be read", e);
        }
      }
    }
    return parts;
  }

  /**
   * Each sealed block takes the id of an arrival, so there must not be more of them. If there are,
   * more blocks are sealed together next time, unless they are many already.
   */
  private boolean isWorthwhile(List<Part> parts, List<BlockZone> zones) {
    if (parts.size() <= zones.size()) {
      return true;
    }
    if (growth < MAX_GROWTH) {
      growth *= 2;
    } else {
      skip(zones);
    }
    return false;
  }

  private List<Submission.SealedPart> submission(List<Part> parts, List<BlockZone> zones) {
    List<Part> ordered = new ArrayList<>(parts);
    ordered.sort(Comparator.comparingLong(part -> part.rows.lastHlc()));
    List<Submission.SealedPart> submission = new ArrayList<>();
    int firstId = zones.size() - ordered.size();
    for (int i = 0; i < ordered.size(); i++) {
      Part part = ordered.get(i);
      StoreNames names = state.blocks().names().tables();
      LongCounts counts = LongCounts.of(part.rows);
      long id = zones.get(firstId + i).id();
      BlockZone zone = SealedParts.zoneOf(id, part.rows, counts, names.nodes());
      byte[] bytes = part.block.bytes();
      byte[] summary = SummaryCodec.encode(zone, part.rows, counts, bytes.length, names.nodes());
      byte[] timeline = TimelineCodec.encode(part.rows, part.block.log(), names);
      submission.add(new Submission.SealedPart(zone, bytes, summary, timeline));
    }
    return submission;
  }
}
