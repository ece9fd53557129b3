package io.retroscope.server.store;

import io.retroscope.blocks.RowDigest;
import io.retroscope.blocks.Run;
import io.retroscope.blocks.SealedBlock;
import io.retroscope.blocks.Sealing;
import io.retroscope.blocks.StoreNames;
import io.retroscope.event.CorruptBlockException;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventKind;
import io.retroscope.rql.cut.NaturalOrder;
import io.retroscope.server.memory.MemoryBudget;
import io.retroscope.server.store.StoreOptions.SealLimits;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Replaces blocks that arrived by sealed ones, a batch at a time, oldest first. Used by one thread
 * at a time.
 */
final class Sealer {
  /*
   * A batch is complete when it is submitted: for each of its logs the sealed blocks with all of
   * its rows, and blocks of the empty log with all starts and stops. One atomic change then puts
   * these and deletes the arrivals. Nothing depends on the batch being the last one for its range
   * of stamps: late blocks are sealed in a later batch, whose blocks overlap the earlier ones, and
   * a scan merges them as it merges blocks that arrived.
   *
   * Sealed blocks take the highest ids of their batch. So retention, which removes blocks in the
   * order of their ids, and a crash in the middle of it never remove an event earlier than they
   * would have removed its arrival.
   *
   * HAZARD: the arrivals are deleted, so a wrong sealed block would be a wrong answer for ever. So
   * the sealed blocks are decoded again and compared with the arrivals by a digest before that.
   */
  private static final Logger logger = LoggerFactory.getLogger(Sealer.class);

  /** The approximate memory per row of the arrivals, the sealed blocks and their copies. */
  private static final long ROW_BYTES = 250;

  /** The factor by which a batch grows if sealing would not reduce the number of blocks. */
  private static final int MAX_GROWTH = 4;

  private static final Comparator<Run> TIES =
      Comparator.comparing(Run::node, NaturalOrder.INSTANCE).thenComparing(Run::incarnation);

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
   * Seals one batch of the blocks that end at or below a stamp.
   *
   * @param horizon packed
   * @return the number of blocks that were replaced; 0 if too few wait
   * @throws StoreException if the store cannot be read or written
   */
  int seal(long horizon) {
    List<BlockZone> batch = batch(horizon);
    long rows = batch.stream().mapToLong(BlockZone::eventCount).sum();
    if (!isFull(batch.size(), rows)) {
      return 0;
    }
    try (MemoryBudget.Charge charge = memory.charge()) {
      return charge.tryResize(rows * ROW_BYTES) ? seal(batch) : 0;
    }
  }

  private List<BlockZone> batch(long horizon) {
    BlockIndex.Snapshot index = state.published().index();
    List<BlockZone> batch = new ArrayList<>();
    long rows = 0;
    for (int i = 0; i < index.size(); i++) {
      BlockZone zone = index.zone(i);
      if (zone.isSealed() || zone.lastHlc() > horizon || skipped.contains(zone.id())) {
        continue;
      }
      batch.add(zone);
      rows += zone.eventCount();
      if (isFull(batch.size(), rows)) {
        break;
      }
    }
    return batch;
  }

  private boolean isFull(int blocks, long rows) {
    return rows >= (long) growth * limits.batchRows()
        || blocks >= (long) growth * limits.batchBlocks();
  }

  private int seal(List<BlockZone> batch) {
    List<BlockZone> zones = new ArrayList<>();
    List<EventBlock> arrivals = new ArrayList<>();
    for (BlockZone zone : batch) {
      // From the database, because a name in memory may differ from what can be stored of it.
      EventBlock block = state.blocks().uncached(zone, state.latest()).orElseGet(Damage::nothing);
      if (isSealable(block)) {
        zones.add(zone);
        arrivals.add(block);
      } else {
        skipped.add(zone.id());
      }
    }
    List<Part> parts = zones.isEmpty() ? List.of() : checkedParts(zones, arrivals);
    if (parts.isEmpty() || !isWorthwhile(parts, zones)) {
      return 0;
    }
    committer.accept(new Submission.Sealing(zones, submission(parts, zones)));
    growth = 1;
    return zones.size();
  }

  /** The sealed blocks; blocks that cannot be sealed are not tried again. */
  private List<Part> checkedParts(List<BlockZone> zones, List<EventBlock> arrivals) {
    try {
      List<Part> parts = parts(zones, arrivals);
      if (RowDigest.of(arrivals) != RowDigest.of(parts.stream().map(Part::rows).toList())) {
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
    for (int row = 0; row < block.size(); row++) {
      EventKind kind = block.kind(row);
      boolean hasLog = !block.logs().get(block.logIndex(row)).isEmpty();
      if (kind == EventKind.HEARTBEAT || kind.isOfNode() == hasLog) {
        return false;
      }
    }
    return !block.isEmpty();
  }

  private List<Part> parts(List<BlockZone> zones, List<EventBlock> arrivals) {
    Set<String> logs = new TreeSet<>();
    arrivals.forEach(block -> logs.addAll(block.logs()));
    StoreNames names = state.blocks().names().tables();
    List<Part> parts = new ArrayList<>();
    for (String log : logs) {
      List<EventBlock> own =
          log.isEmpty()
              ? arrivals
              : arrivals.stream().filter(block -> block.logs().contains(log)).toList();
      long[] borders = state.published().index().sealingBorders(zones, log);
      for (SealedBlock block : new Sealing(log, names, TIES, limits.rows()).seal(own, borders)) {
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
      BlockZone zone = SealedParts.zoneOf(zones.get(firstId + i).id(), part.rows, names.nodes());
      byte[] bytes = part.block.bytes();
      byte[] summary = SummaryCodec.encode(zone, part.rows, bytes.length, names.nodes());
      submission.add(new Submission.SealedPart(zone, bytes, summary));
    }
    return submission;
  }
}
