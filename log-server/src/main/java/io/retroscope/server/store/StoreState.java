// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store;

import io.retroscope.event.EventBlock;
import io.retroscope.event.LostBlocks;
import io.retroscope.rql.cut.Incompleteness;
import io.retroscope.server.health.FatalErrors;
import io.retroscope.server.store.disk.Database;
import io.retroscope.server.store.disk.HistoryStart;
import io.retroscope.server.store.disk.SourcePosition;
import io.retroscope.server.store.disk.StoreDamageException;
import io.retroscope.server.store.disk.StoreSchema;
import io.retroscope.server.store.disk.Table;
import io.retroscope.server.store.run.Incarnation;
import io.retroscope.server.store.run.Lifetimes;
import io.retroscope.server.store.run.Runs;
import io.retroscope.server.store.run.StoreConflictException;
import io.retroscope.server.store.zone.BlockIndex;
import io.retroscope.server.store.zone.BlockZone;
import io.retroscope.server.store.zone.Damage;
import io.retroscope.server.store.zone.NodeIndex;
import io.retroscope.server.store.zone.Quarantine;
import io.retroscope.server.store.zone.SummaryCodec;
import io.retroscope.server.store.zone.ZoneNames;
import io.retroscope.server.store.zone.ZoneWrites;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The store's state in memory: everything that the writing thread has applied, and the synced part
 * of it that is published to readers. Thread-safe unless noted otherwise.
 */
final class StoreState {
  private static final Logger logger = LoggerFactory.getLogger(StoreState.class);

  private final Path directory;
  private final Database database;
  private final Damage damage;
  private final Lifetimes lifetimes;
  private final ZoneNames names = new ZoneNames();
  private final StoredBlocks blocks;
  private final List<StoreListener> listeners = new CopyOnWriteArrayList<>();

  /** Owned by the writing thread, with everything that it has applied. */
  private final BlockIndex index = new BlockIndex(1024);

  private final NodeIndex stored = new NodeIndex();
  private final IndexMemory memory;
  private final Quarantine quarantine = new Quarantine();

  private Runs runs = Runs.NONE;
  private final Map<String, SourcePosition> positions = new HashMap<>();
  private List<LostBlocks> lost = List.of();
  private StatedReasons stated = StatedReasons.NONE;
  private long nextBlockId = 1;
  private final List<Unpublished> unpublished = new ArrayList<>();

  /** What the writing thread reads, which sees its own changes at once. */
  private final ReadPoint latest = new ReadPoint();

  private boolean replacedAny;

  /** Replaced as a whole by the writing thread after each sync. */
  private volatile Published published;

  /** The store as readers see it. Immutable. */
  record Published(
      BlockIndex.Snapshot index,
      ReadPoint readPoint,
      Runs runs,
      List<LostBlocks> lost,
      List<Incompleteness> stated,
      Map<String, SourcePosition> positions,
      List<Quarantine.Zone> quarantined,
      Lifetimes.Snapshot lifetimes,
      Optional<HistoryStart> historyStart) {
    /** The number of events in quarantine. */
    long quarantinedCount() {
      return quarantined.stream()
          .flatMap(zone -> zone.block().nodes().stream())
          .mapToLong(BlockZone.NodeZone::eventCount)
          .sum();
    }

    /** The number of events that senders declared lost, or the largest number if it is larger. */
    long lostEventCount() {
      return EventStore.saturatedSum(lost.stream().mapToLong(LostBlocks::eventCount));
    }
  }

  /** The changes that listeners are notified of once they are synced. */
  private record Unpublished(List<EventBlock> blocks, Collection<Incarnation> incarnations) {
    void send(StoreListener listener) {
      blocks.forEach(listener::stored);
      listener.heard(incarnations);
    }
  }

  StoreState(Path directory, Database database, Damage damage, StoreOptions options) {
    this.directory = directory;
    this.database = database;
    this.damage = damage;
    this.blocks = new StoredBlocks(directory, database, damage, options);
    this.memory = new IndexMemory(options.memory(), options.stores());
    this.lifetimes = new Lifetimes(new StoredLifetimes(database, latest, this::freeze));
    try {
      recover();
      memory.settle(runs, blocks.names().tables());
      memory.checkStart();
      this.published = snapshot(new ReadPoint());
    } catch (RuntimeException e) {
      memory.close();
      blocks.close();
      throw e;
    }
  }

  private void recover() {
    recoverZones();
    List<Incarnation> known = new ArrayList<>();
    database.forEach(StoreSchema.INCARNATIONS, (name, run) -> known.add(run));
    runs = runs.with(known);
    StoredLifetimes.restore(database, lifetimes);
    List<LostBlocks> declared = new ArrayList<>();
    database.forEach(StoreSchema.LOST, (range, notice) -> declared.add(notice));
    lost = List.copyOf(declared);
    List<Incompleteness> reasons = new ArrayList<>();
    database.forEach(StoreSchema.REASONS, (digest, reason) -> reasons.add(reason));
    stated = StatedReasons.of(reasons);
    database.forEach(
        StoreSchema.QUARANTINE,
        (id, block) -> {
          nextBlockId = Math.max(nextBlockId, id + 1);
          quarantine.add(new Quarantine.Zone(BlockZone.of(id, block), block.heartbeat()));
        });
    database.forEach(StoreSchema.POSITIONS, positions::put);
  }

  private void recoverZones() {
    ZoneRecovery recovery = new ZoneRecovery(database, blocks, damage, names);
    for (BlockZone zone : recovery.zones()) {
      index.add(zone);
      stored.add(zone);
      memory.added(zone);
    }
    nextBlockId = recovery.lastId() + 1;
  }

  long nextBlockId() {
    return nextBlockId++;
  }

  void addListener(StoreListener listener) {
    listeners.add(listener);
  }

  void removeListener(StoreListener listener) {
    listeners.remove(listener);
  }

  /** The begin of history; empty if nothing was removed. */
  Optional<HistoryStart> historyStart() {
    return blocks.historyStart();
  }

  /**
   * Records durably that blocks are about to be removed, and gathers their removal. Called by the
   * writing thread.
   */
  void beginHistoryAt(HistoryStart start, Changes changes) {
    HistoryStart later = historyStart().map(start::or).orElse(start);
    later.write(directory);
    blocks.beginAt(later);
    changes.removeThrough(later);
    stated.removeThrough(later.hlc(), changes);
  }

  /** Applies a written change. Called by the writing thread. */
  void apply(Changes changes) {
    changes
        .removed()
        .ifPresent(
            start -> {
              int unused = index.removeThrough(start.lastBlock());
              stored.removeThrough(start.lastBlock());
              blocks.removedThrough(start.lastBlock());
            });
    changes.sealing().ifPresent(sealing -> applySealing(sealing, changes.rests()));
    changes.trim().ifPresent(trim -> replace(trim.gone(), List.of(), changes.rests()));
    if (changes.removed().isPresent() || changes.sealing().isPresent()) {
      memory.recount(index.snapshot());
    }
    runs = runs.with(changes.incarnations().values());
    positions.putAll(changes.positions());
    for (Changes.NewBlock added : changes.blocks()) {
      blocks.added(added.zone(), added.block());
      BlockZone zone = names.shared(added.zone());
      index.add(zone);
      stored.add(zone);
      memory.added(zone);
    }
    if (!changes.lost().isEmpty()) {
      List<LostBlocks> copy = new ArrayList<>(lost);
      copy.addAll(changes.lost());
      lost = List.copyOf(copy);
    }
    stated = stated.after(changes);
    changes.incarnations().values().stream()
        .filter(Incarnation::isGone)
        .forEach(run -> forgetLost(run.name()));
    memory.settle(runs, blocks.names().tables());
    quarantine.remove(changes.leftQuarantine());
    changes.quarantinedZones().forEach(quarantine::add);
    unpublished.add(
        new Unpublished(
            changes.blocks().stream().map(Changes.NewBlock::block).toList(),
            changes.incarnations().values()));
  }

  /** Gathers the replacement of blocks by sealed ones. Called by the writing thread. */
  void seal(Submission.Sealing sealing, Changes changes) {
    if (sealing.arrivals().stream().anyMatch(zone -> blocks.isRemoved(zone.id()))) {
      throw new StoreConflictException("retention has removed blocks while they were sealed");
    }
    freeze();
    changes.seal(sealing, blocks.names(), this::nextBlockId);
  }

  /** Gathers the removal of events up to a stamp. Called by the writing thread. */
  void trim(Submission.Trim trim, Changes changes) {
    freeze();
    beginHistoryAt(new HistoryStart(0, trim.hlc()), changes);
    changes.trim(trim, this::nextBlockId);
  }

  /**
   * Keeps what views read that are open, or are opened before the next publication. Called by the
   * writing thread before it replaces anything that they refer to.
   */
  private void freeze() {
    published.readPoint().freeze(database);
    replacedAny = true;
  }

  private void applySealing(Submission.Sealing sealing, List<BlockZone> rests) {
    List<BlockZone> zones =
        sealing.sealed().stream().map(part -> names.shared(part.zone())).toList();
    replace(sealing.arrivals(), zones, rests);
    blocks.names().written();
  }

  private void replace(List<BlockZone> gone, List<BlockZone> sealed, List<BlockZone> rests) {
    long[] ascending = gone.stream().mapToLong(BlockZone::id).sorted().toArray();
    int unused = index.replace(ascending, sealed);
    stored.replace(ascending, sealed);
    for (BlockZone rest : rests) {
      BlockZone zone = names.shared(rest);
      index.add(zone);
      stored.add(zone);
    }
    blocks.replaced(gone);
  }

  private void forgetLost(Incarnation.Name name) {
    lost =
        lost.stream()
            .filter(
                blocks ->
                    !blocks.node().equals(name.node())
                        || !blocks.incarnation().equals(name.incarnation()))
            .toList();
  }

  /** Makes everything that was applied visible. Called by the writing thread after a sync. */
  void publish() {
    if (!unpublished.isEmpty()) {
      publishApplied();
    }
  }

  /**
   * Publishes a version that reads the database as it was opened again, which keeps all that was
   * applied. Open views continue with the blocks that it has now, or, if some of theirs had been
   * replaced before, fail. Called by the writing thread.
   */
  void renew() {
    freeze();
    publishApplied();
  }

  private void publishApplied() {
    ReadPoint before = published.readPoint();
    published = snapshot(replacedAny ? new ReadPoint() : before);
    if (replacedAny) {
      before.leave();
      replacedAny = false;
    }
    for (StoreListener listener : listeners) {
      guard(listener, () -> unpublished.forEach(change -> change.send(listener)));
    }
    listeners.forEach(listener -> guard(listener, listener::published));
    unpublished.clear();
  }

  private Published snapshot(ReadPoint readPoint) {
    return new Published(
        index.snapshot(),
        readPoint,
        runs,
        lost,
        stated.reasons(),
        Collections.unmodifiableMap(new HashMap<>(positions)),
        quarantine.zones(),
        lifetimes.snapshot(),
        historyStart());
  }

  /** Notifies a listener. Its failure must affect neither the stored data nor other listeners. */
  private static void guard(StoreListener listener, Runnable notice) {
    try {
      notice.run();
    } catch (RuntimeException | Error e) {
      FatalErrors.check(e);
      logger.error("{} failed to handle stored events", listener, e);
    }
  }

  /** The block of a zone as the writing thread has it. */
  EventBlock block(BlockZone zone) {
    return blocks.block(zone, latest);
  }

  /** What the writing thread reads: the present database. */
  ReadPoint latest() {
    return latest;
  }

  StoredBlocks blocks() {
    return blocks;
  }

  /** Passes the stored writes of each block that has them to the action. */
  void forEachZoneWrites(BiConsumer<Long, ZoneWrites> action) {
    database.forEach(
        StoreSchema.ZONES,
        (id, stored) -> stored.writes().ifPresent(writes -> action.accept(id, writes)),
        (id, unreadable) -> {});
    database.forEach(
        StoreSchema.SUMMARIES,
        (id, bytes) ->
            action.accept(id, SummaryCodec.decodeWrites(id, bytes, blocks.names().nodes())));
  }

  /** The known losses. */
  Damage damage() {
    return damage;
  }

  /** The state that readers see. */
  Published published() {
    return published;
  }

  /** The state that readers see, for a view that must leave its read point when it is closed. */
  Published enter() {
    Published present = published;
    while (!present.readPoint().enter()) {
      present = published;
    }
    return present;
  }

  /** The stored blocks, published or not; for the writing thread. */
  NodeIndex stored() {
    return stored;
  }

  /** The quarantined blocks, published or not; for the writing thread. */
  NodeIndex quarantined() {
    return quarantine.byNode();
  }

  /** A quarantined block; empty if it cannot be read or has been removed. */
  EventBlock quarantinedBlock(long id) {
    try {
      return database.get(StoreSchema.QUARANTINE, id).orElseGet(Damage::nothing);
    } catch (StoreDamageException e) {
      logger.error("block {} in quarantine cannot be read: {}", id, e.getMessage());
      return Damage.nothing();
    }
  }

  /** The applied runs, published or not; for the writing thread, which changes only copies. */
  Runs appliedRuns() {
    return runs;
  }

  /** The applied declarations of loss, published or not; for the writing thread. */
  List<LostBlocks> appliedLost() {
    return lost;
  }

  /** The applied reasons that inputs stated, published or not; for the writing thread. */
  StatedReasons stated() {
    return stated;
  }

  Lifetimes lifetimes() {
    return lifetimes;
  }

  /** The lifetimes in the database that a view reads. */
  Lifetimes.Older olderLifetimes(ReadPoint at) {
    return new StoredLifetimes(database, at, () -> {});
  }

  /** The memory of the index; for the writing thread. */
  IndexMemory memory() {
    return memory;
  }

  long cachedBytes() {
    return blocks.cachedBytes();
  }

  /** Releases the memory of the cache and of the index. */
  void close() {
    memory.close();
    blocks.close();
  }

  /**
   * What the views of one version of the index read. Thread-safe.
   *
   * <p>While the blocks of the version are in the database, that is the database. Before some of
   * them are replaced by sealed blocks, the database is frozen for the views that still refer to
   * them, and thawed when the last of these is closed.
   */
  static final class ReadPoint {
    /** The views, and one for the version while it is the present one. */
    private int users = 1;

    private volatile Database.@Nullable Frozen frozen;

    /** Adds a view; returns false if the version has been left by all. */
    synchronized boolean enter() {
      users += users > 0 ? 1 : 0;
      return users > 0;
    }

    /** Removes a view, or the version itself when it is no longer the present one. */
    synchronized void leave() {
      users--;
      if (users == 0 && frozen != null) {
        frozen.close();
      }
    }

    /** Keeps all present blocks readable. Called by the writing thread before it replaces some. */
    void freeze(Database database) {
      if (frozen == null) {
        frozen = database.freeze();
      }
    }

    <K, V> Optional<V> get(Database database, Table<K, V> table, K key) {
      Database.Frozen before = frozen;
      if (before != null) {
        return before.get(table, key);
      }
      Optional<V> value = database.get(table, key);
      // A block that is missing may have been replaced since the first look.
      Database.Frozen after = frozen;
      return value.isEmpty() && after != null ? after.get(table, key) : value;
    }

    /** See {@link Database#fromFloor}. */
    <K, V> List<V> fromFloor(
        Database database, Table<K, V> table, Database.Stretch<K> stretch, int count) {
      Database.Frozen before = frozen;
      if (before != null) {
        return before.fromFloor(table, stretch, count);
      }
      List<V> found = database.fromFloor(table, stretch, count);
      // Some may have been replaced since the first look.
      Database.Frozen after = frozen;
      return after != null ? after.fromFloor(table, stretch, count) : found;
    }
  }
}
