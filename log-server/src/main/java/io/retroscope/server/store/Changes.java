// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store;

import io.retroscope.blocks.zone.LongCounts;
import io.retroscope.event.EventBlock;
import io.retroscope.event.LostBlocks;
import io.retroscope.rql.cut.Incompleteness;
import io.retroscope.server.store.disk.Database;
import io.retroscope.server.store.disk.HistoryStart;
import io.retroscope.server.store.disk.SourcePosition;
import io.retroscope.server.store.disk.StoreException;
import io.retroscope.server.store.disk.StoreSchema;
import io.retroscope.server.store.disk.StoreSchema.BlockNumber;
import io.retroscope.server.store.disk.StoreSchema.LostRange;
import io.retroscope.server.store.disk.Table;
import io.retroscope.server.store.run.Incarnation;
import io.retroscope.server.store.run.Lifetimes;
import io.retroscope.server.store.run.Runs;
import io.retroscope.server.store.zone.BlockZone;
import io.retroscope.server.store.zone.NodeIndex;
import io.retroscope.server.store.zone.Quarantine;
import io.retroscope.server.store.zone.StoredZone;
import io.retroscope.server.store.zone.ZoneWrites;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;
import org.rocksdb.RocksDBException;
import org.rocksdb.WriteBatch;

/** One atomic change of the store while it is assembled. Used by the writing thread. */
final class Changes implements AutoCloseable {
  /**
   * The number of a run's latest blocks of which checksums are kept; between removals there are up
   * to twice as many.
   */
  static final long CHECKED_BLOCKS = 256;

  /** The number of ids from which on they are deleted as a range. */
  private static final int MIN_DELETED_RANGE = 8;

  private final Database database;
  private final Optional<IndexMemory> memory;
  private int newRuns;
  private final WriteBatch batch = new WriteBatch();
  private final List<NewBlock> blocks = new ArrayList<>();
  private final List<LostBlocks> lost = new ArrayList<>();
  private final List<Incompleteness> reasons = new ArrayList<>();
  private final Set<Incompleteness> removedReasons = new HashSet<>();
  private final Map<Incarnation.Name, Incarnation> incarnations = new HashMap<>();

  /** The named runs of nodes as they were before this change. */
  private final Map<String, List<Incarnation>> namedRuns = new HashMap<>();

  private final Map<BlockNumber, byte[]> numbers = new HashMap<>();
  private final List<Heard> sightings = new ArrayList<>();
  private final Map<String, SourcePosition> positions = new HashMap<>();
  private final NodeIndex stored = new NodeIndex();
  private final NodeIndex quarantined = new NodeIndex();
  private final Map<Long, EventBlock> blocksById = new HashMap<>();
  private final List<Quarantine.Zone> quarantinedZones = new ArrayList<>();
  private final Set<Long> leftQuarantine = new HashSet<>();
  private boolean durable;
  private Optional<HistoryStart> removed = Optional.empty();
  private Optional<Submission.Sealing> sealing = Optional.empty();
  private Optional<Submission.Trim> trim = Optional.empty();
  private final List<BlockZone> rests = new ArrayList<>();

  /** A sighting of a node; see {@link Lifetimes#touch}. */
  record Heard(String node, long hlc, long promiseMicros) {}

  record NewBlock(BlockZone zone, EventBlock block) {}

  /** A change that adds no runs. */
  Changes(Database database) {
    this(database, Optional.empty());
  }

  /** A change that adds runs only up to the largest number, if there is one. */
  Changes(Database database, Optional<IndexMemory> memory) {
    this.database = database;
    this.memory = memory;
  }

  void addBlock(long id, EventBlock block, byte[] bytes) {
    LongCounts counts = LongCounts.of(block);
    BlockZone zone = BlockZone.of(id, block, counts);
    put(StoreSchema.BLOCKS, id, bytes);
    putZone(zone, ZoneWrites.of(block, counts));
    blocks.add(new NewBlock(zone, block));
    stored.add(zone);
    blocksById.put(id, block);
  }

  void putZone(BlockZone zone, EventBlock block) {
    putZone(zone, ZoneWrites.of(block));
  }

  private void putZone(BlockZone zone, ZoneWrites writes) {
    put(StoreSchema.ZONES, zone.id(), new StoredZone(zone, Optional.of(writes)));
  }

  void quarantine(long id, EventBlock block) {
    put(StoreSchema.QUARANTINE, id, block);
    BlockZone zone = BlockZone.of(id, block);
    quarantinedZones.add(new Quarantine.Zone(zone, block.heartbeat()));
    quarantined.add(zone);
    blocksById.put(id, block);
  }

  /** Removes a block from quarantine. */
  void leaveQuarantine(long id) {
    delete(StoreSchema.QUARANTINE, id);
    leftQuarantine.add(id);
  }

  /** The blocks that this change stores. */
  NodeIndex stored() {
    return stored;
  }

  /** The blocks that this change puts into quarantine. */
  NodeIndex quarantined() {
    return quarantined;
  }

  /** The zones of the blocks that this change puts into quarantine. */
  List<Quarantine.Zone> quarantinedZones() {
    return quarantinedZones;
  }

  /** The ids of blocks that leave quarantine. */
  Set<Long> leftQuarantine() {
    return leftQuarantine;
  }

  /** A block that this change stores or puts into quarantine. */
  EventBlock block(long id) {
    return Objects.requireNonNull(blocksById.get(id));
  }

  void addLost(LostBlocks notice) {
    put(StoreSchema.LOST, LostRange.of(notice), notice);
    lost.add(notice);
  }

  /** Stores a reason that an input stated. */
  void addReason(String digest, Incompleteness reason) {
    put(StoreSchema.REASONS, digest, reason);
    reasons.add(reason);
  }

  /** Removes a reason that an input stated. */
  void removeReason(String digest, Incompleteness reason) {
    delete(StoreSchema.REASONS, digest);
    removedReasons.add(reason);
  }

  /** The incarnation's mutable copy that belongs to this change. */
  Incarnation incarnation(Incarnation.Name name, Runs applied) {
    return incarnations.computeIfAbsent(
        name,
        missing -> {
          Incarnation old = applied.all().get(missing);
          // A forgotten run is not in memory, but its name must not start again.
          return old != null
              ? old.copy()
              : database
                  .get(StoreSchema.INCARNATIONS, missing)
                  .orElseGet(() -> added(missing, applied));
        });
  }

  private Incarnation added(Incarnation.Name name, Runs applied) {
    newRuns++;
    memory
        .filter(limit -> applied.all().size() + newRuns > limit.maxRuns())
        .ifPresent(
            limit -> {
              throw limit.tooManyRuns(name);
            });
    return new Incarnation(name);
  }

  /**
   * The mutable copy of the run of an event. One without an incarnation belongs to the named run of
   * its node that was recording then: otherwise an export that is imported again would open a
   * second run, which never stops, beside one that has stopped.
   */
  Incarnation incarnation(String node, String incarnation, long hlc, Runs applied) {
    if (incarnation.isEmpty()) {
      List<Incarnation> named = namedRuns.computeIfAbsent(node, applied::namedOf);
      Incarnation recording = Runs.recordingAt(named, hlc);
      if (recording != null) {
        return incarnation(recording.name(), applied);
      }
    }
    Incarnation run = incarnation(new Incarnation.Name(node, incarnation), applied);
    run.reopen();
    return run;
  }

  /** Records a sighting of a node apart from its events; see {@link Lifetimes#touch}. */
  void sighted(String node, long hlc, long promiseMicros) {
    sightings.add(new Heard(node, hlc, promiseMicros));
  }

  /** Records how far a source has been read; a later position replaces an earlier one. */
  void reached(SourcePosition position) {
    positions.put(position.source(), position);
  }

  void putPositions() {
    positions.forEach((source, position) -> put(StoreSchema.POSITIONS, source, position));
  }

  void putIncarnations() {
    incarnations.forEach((name, incarnation) -> put(StoreSchema.INCARNATIONS, name, incarnation));
  }

  <K, V> void put(Table<K, V> table, K key, V value) {
    try {
      batch.put(database.handle(table), table.keyBytes(key), table.valueBytes(value));
    } catch (RocksDBException e) {
      throw new StoreException("cannot assemble a change: " + e.getMessage(), e);
    }
  }

  <K> void delete(Table<K, ?> table, K key) {
    try {
      batch.delete(database.handle(table), table.keyBytes(key));
    } catch (RocksDBException e) {
      throw new StoreException("cannot assemble a change: " + e.getMessage(), e);
    }
  }

  /** Removes all entries from one key (inclusive) to another (exclusive). */
  <K> void deleteRange(Table<K, ?> table, K from, K to) {
    try {
      batch.deleteRange(database.handle(table), table.keyBytes(from), table.keyBytes(to));
    } catch (RocksDBException e) {
      throw new StoreException("cannot assemble a change: " + e.getMessage(), e);
    }
  }

  /**
   * Removes blocks according to a retention rule. The change is made durable because the space of
   * the blocks is reused afterwards.
   */
  void removeThrough(HistoryStart start) {
    StoreSchema.OF_BLOCKS.forEach(table -> deleteRange(table, 0L, start.lastBlock() + 1));
    removed = Optional.of(start);
  }

  Optional<HistoryStart> removed() {
    return removed;
  }

  /**
   * Replaces blocks that arrived by sealed ones, and by what remains of those that were split; the
   * numbers of the blocks are kept.
   *
   * @param ids the next ids of blocks
   */
  void seal(Submission.Sealing change, SealedNames names, LongSupplier ids) {
    delete(change.arrivals(), StoreSchema.OF_ARRIVALS);
    for (Submission.SealedPart part : change.sealed()) {
      put(StoreSchema.SEALED, part.zone().id(), part.block());
      put(StoreSchema.SUMMARIES, part.zone().id(), part.summary());
      put(StoreSchema.TIMELINES, part.zone().id(), part.timeline());
    }
    putRests(change.rests(), ids);
    names.putInto(this);
    sealing = Optional.of(change);
  }

  /** Stores what remains of blocks that are split. No listener is notified: they arrived before. */
  private void putRests(List<MadeBlock> made, LongSupplier ids) {
    for (MadeBlock rest : made) {
      BlockZone zone = BlockZone.of(ids.getAsLong(), rest.block());
      put(StoreSchema.BLOCKS, zone.id(), rest.bytes());
      putZone(zone, rest.block());
      rests.add(zone);
    }
  }

  /**
   * Removes the events up to a stamp.
   *
   * @param ids the next ids of blocks
   */
  void trim(Submission.Trim change, LongSupplier ids) {
    delete(change.gone(), StoreSchema.OF_BLOCKS);
    putRests(change.rests(), ids);
    trim = Optional.of(change);
  }

  /** Removes blocks, each sequence of ids at once: they are usually one or a few. */
  private void delete(List<BlockZone> blocks, List<Table<Long, ?>> tables) {
    long[] ids = blocks.stream().mapToLong(BlockZone::id).sorted().toArray();
    for (int from = 0; from < ids.length; ) {
      int to = from + 1;
      while (to < ids.length && ids[to] == ids[to - 1] + 1) {
        to++;
      }
      for (Table<Long, ?> table : tables) {
        if (to - from < MIN_DELETED_RANGE) {
          for (int i = from; i < to; i++) {
            delete(table, ids[i]);
          }
        } else {
          deleteRange(table, ids[from], ids[to - 1] + 1);
        }
      }
      from = to;
    }
  }

  /** What remains of the blocks that are split. */
  List<BlockZone> rests() {
    return rests;
  }

  Optional<Submission.Sealing> sealing() {
    return sealing;
  }

  Optional<Submission.Trim> trim() {
    return trim;
  }

  /**
   * Makes the change one that is synced whatever it contains, by adding a record that no table
   * receives.
   */
  void makeDurable() {
    try {
      batch.putLogData(new byte[] {'p'});
    } catch (RocksDBException e) {
      throw new StoreException("cannot assemble a change: " + e.getMessage(), e);
    }
    durable = true;
  }

  void write() {
    if (durable || batch.count() > 0) {
      database.write(batch);
    }
  }

  List<NewBlock> blocks() {
    return blocks;
  }

  List<LostBlocks> lost() {
    return lost;
  }

  List<Incompleteness> reasons() {
    return reasons;
  }

  Set<Incompleteness> removedReasons() {
    return removedReasons;
  }

  Map<Incarnation.Name, Incarnation> incarnations() {
    return incarnations;
  }

  /** Keeps the checksum of a block, and forgets those of much earlier blocks of the run. */
  void addNumber(BlockNumber number, byte[] checksum) {
    put(StoreSchema.NUMBERS, number, checksum);
    numbers.put(number, checksum);
    if (number.number() % CHECKED_BLOCKS == 0) {
      forgetNumbers(number.incarnation(), number.number() - CHECKED_BLOCKS + 1);
    }
  }

  /** Forgets the checksums of a run's blocks with lower numbers. */
  void forgetNumbers(Incarnation.Name run, long below) {
    deleteRange(StoreSchema.NUMBERS, new BlockNumber(run, 0), new BlockNumber(run, below));
  }

  /** The numbers that this change stores, with the checksums of their blocks. */
  Map<BlockNumber, byte[]> numbers() {
    return numbers;
  }

  /** The sightings of nodes apart from their events. */
  List<Heard> sightings() {
    return sightings;
  }

  /** The positions up to which sources have been read, by the sources' names. */
  Map<String, SourcePosition> positions() {
    return positions;
  }

  /** Whether the change contains anything that an acknowledgement promises to keep. */
  boolean isDurable() {
    return durable
        || removed.isPresent()
        || sealing.isPresent()
        || !blocks.isEmpty()
        || !lost.isEmpty()
        || !reasons.isEmpty()
        || !quarantinedZones.isEmpty()
        || !leftQuarantine.isEmpty();
  }

  @Override
  public void close() {
    batch.close();
  }
}
