package io.retroscope.server.store;

import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBlockCodec;
import io.retroscope.event.LostBlocks;
import io.retroscope.server.health.FatalErrors;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiConsumer;
import java.util.stream.LongStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The store's state in memory: everything that the writing thread has applied, and the synced part
 * of it that is published to readers. Thread-safe unless noted otherwise.
 */
final class StoreState {
  private static final Logger logger = LoggerFactory.getLogger(StoreState.class);
  private static final int ZONES_PER_WRITE = 1_000;

  private final Path directory;
  private final Database database;
  private final Damage damage;
  private final Lifetimes lifetimes = new Lifetimes();
  private final ZoneNames names = new ZoneNames();
  private final BlockCache cache;
  private final List<StoreListener> listeners = new CopyOnWriteArrayList<>();

  /** Owned by the writing thread, with everything that it has applied. */
  private final BlockIndex index = new BlockIndex(1024);

  private final NodeIndex stored = new NodeIndex();
  private final Quarantine quarantine = new Quarantine();

  private Runs runs = Runs.NONE;
  private final Map<String, SourcePosition> positions = new HashMap<>();
  private List<LostBlocks> lost = List.of();
  private long nextBlockId = 1;
  private final List<Unpublished> unpublished = new ArrayList<>();

  /** The begin of history after retention; it never moves back. */
  private volatile Optional<HistoryStart> historyStart;

  /** Replaced as a whole by the writing thread after each sync. */
  private volatile Published published;

  /** The store as readers see it. Immutable. */
  record Published(
      BlockIndex.Snapshot index,
      Runs runs,
      List<LostBlocks> lost,
      Map<String, SourcePosition> positions,
      List<BlockZone> quarantined,
      Lifetimes.Snapshot lifetimes) {}

  /** The changes that listeners are notified of once they are synced. */
  private record Unpublished(List<EventBlock> blocks, Collection<Incarnation> incarnations) {}

  StoreState(Path directory, Database database, Damage damage, StoreOptions options) {
    this.directory = directory;
    this.historyStart = HistoryStart.read(directory);
    this.database = database;
    this.damage = damage;
    this.cache = new BlockCache(options.cacheBytes(), options.memory());
    try {
      recover();
      this.published = snapshot();
    } catch (RuntimeException e) {
      cache.close();
      throw e;
    }
  }

  private void recover() {
    recoverZones();
    List<Incarnation> known = new ArrayList<>();
    database.forEach(StoreSchema.INCARNATIONS, (name, run) -> known.add(run));
    runs = runs.with(known);
    database.forEach(
        StoreSchema.LIFETIMES, (start, lifetime) -> lifetimes.restore(start.node(), lifetime));
    List<LostBlocks> declared = new ArrayList<>();
    database.forEach(StoreSchema.LOST, (range, notice) -> declared.add(notice));
    lost = List.copyOf(declared);
    database.forEach(
        StoreSchema.QUARANTINE,
        (id, block) -> {
          nextBlockId = Math.max(nextBlockId, id + 1);
          quarantine.add(BlockZone.of(id, block));
        });
    database.forEach(StoreSchema.POSITIONS, positions::put);
  }

  /** Rebuilds from its block a zone map that cannot be read, such as that of an older program. */
  private void recoverZones() {
    List<BlockZone> zones = new ArrayList<>();
    List<Long> unreadable = new ArrayList<>();
    try {
      database.forEach(
          StoreSchema.ZONES,
          (id, stored) -> {
            if (historyStart.filter(start -> id <= start.lastBlock()).isEmpty()) {
              zones.add(names.shared(stored.zone()));
            }
          },
          (id, reason) -> unreadable.add(id));
    } catch (StoreDamageException e) {
      logger.error("rebuilding zone maps from their blocks: {}", e.getMessage());
      long known = zones.isEmpty() ? 0 : zones.get(zones.size() - 1).id();
      long last = database.lastKey(StoreSchema.BLOCKS).orElse(0L);
      LongStream.rangeClosed(known + 1, last).forEach(unreadable::add);
    }
    // The ids of removed blocks are not used again.
    historyStart.ifPresent(start -> nextBlockId = start.lastBlock() + 1);
    unreadable.forEach(id -> nextBlockId = Math.max(nextBlockId, id + 1));
    for (int from = 0; from < unreadable.size(); from += ZONES_PER_WRITE) {
      int to = Math.min(unreadable.size(), from + ZONES_PER_WRITE);
      zones.addAll(renewZones(unreadable.subList(from, to)));
    }
    zones.sort(Comparator.comparingLong(BlockZone::id));
    for (BlockZone zone : zones) {
      index.add(zone);
      stored.add(zone);
      nextBlockId = Math.max(nextBlockId, zone.id() + 1);
    }
  }

  /** Rebuilds the zone maps of an older program, which contain less. */
  private List<BlockZone> renewZones(List<Long> ids) {
    List<BlockZone> renewed = new ArrayList<>();
    try (Changes changes = new Changes(database)) {
      for (long id : ids) {
        try {
          readBlock(id)
              .ifPresent(
                  block -> {
                    BlockZone zone = BlockZone.of(id, block);
                    changes.putZone(zone, block);
                    renewed.add(zone);
                  });
        } catch (StoreDamageException e) {
          damage.addUnknownBlock(id, String.valueOf(e.getMessage()));
        }
      }
      if (!database.isReadOnly()) {
        changes.write();
      }
    }
    return renewed;
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
    return historyStart;
  }

  /**
   * Records durably that blocks are about to be removed, and gathers their removal. Called by the
   * writing thread.
   */
  void beginHistoryAt(HistoryStart start, Changes changes) {
    HistoryStart later = historyStart.map(start::or).orElse(start);
    later.write(directory);
    historyStart = Optional.of(later);
    changes.removeThrough(later);
  }

  /** Applies a written change. Called by the writing thread. */
  void apply(Changes changes) {
    changes
        .removed()
        .ifPresent(
            start -> {
              int unused = index.removeThrough(start.lastBlock());
              stored.removeThrough(start.lastBlock());
              cache.removeThrough(start.lastBlock());
            });
    runs = runs.with(changes.incarnations().values());
    positions.putAll(changes.positions());
    for (Changes.NewBlock added : changes.blocks()) {
      cache.put(added.zone().id(), added.block());
      BlockZone zone = names.shared(added.zone());
      index.add(zone);
      stored.add(zone);
    }
    if (!changes.lost().isEmpty()) {
      List<LostBlocks> copy = new ArrayList<>(lost);
      copy.addAll(changes.lost());
      lost = List.copyOf(copy);
    }
    changes.incarnations().values().stream()
        .filter(Incarnation::isGone)
        .forEach(run -> forgetLost(run.name()));
    quarantine.remove(changes.leftQuarantine());
    changes.quarantinedZones().forEach(quarantine::add);
    unpublished.add(
        new Unpublished(
            changes.blocks().stream().map(Changes.NewBlock::block).toList(),
            changes.incarnations().values()));
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
      published = snapshot();
      listeners.forEach(this::notifyListener);
      unpublished.clear();
    }
  }

  private Published snapshot() {
    return new Published(
        index.snapshot(),
        runs,
        lost,
        Collections.unmodifiableMap(new HashMap<>(positions)),
        quarantine.zones(),
        lifetimes.snapshot());
  }

  /** Notifies a listener. Its failure must affect neither the stored data nor other listeners. */
  private void notifyListener(StoreListener listener) {
    try {
      for (Unpublished change : unpublished) {
        change.blocks.forEach(listener::stored);
        listener.heard(change.incarnations);
      }
    } catch (RuntimeException | Error e) {
      FatalErrors.check(e);
      logger.error("{} failed to handle stored events", listener, e);
    }
  }

  /**
   * The block of a zone, from memory or from the database. An empty block replaces one that cannot
   * be read, and the damage is recorded.
   */
  EventBlock block(BlockZone zone) {
    EventBlock cached = cache.get(zone.id());
    if (cached != null) {
      return cached;
    }
    String reason = "it is missing";
    try {
      Optional<EventBlock> stored = readBlock(zone.id());
      if (stored.isPresent()) {
        cache.put(zone.id(), stored.get());
        return stored.get();
      }
    } catch (StoreDamageException e) {
      reason = String.valueOf(e.getMessage());
    }
    if (historyStart.filter(start -> zone.id() <= start.lastBlock()).isEmpty()) {
      damage.addBlock(zone, reason);
    }
    return Damage.nothing();
  }

  /** Passes the stored writes of each block that has them to the action. */
  void forEachZoneWrites(BiConsumer<Long, ZoneWrites> action) {
    database.forEach(
        StoreSchema.ZONES,
        (id, stored) -> stored.writes().ifPresent(writes -> action.accept(id, writes)),
        (id, unreadable) -> {});
  }

  private Optional<EventBlock> readBlock(long id) {
    Optional<byte[]> bytes = database.get(StoreSchema.BLOCKS, id);
    try {
      return bytes.isEmpty()
          ? Optional.empty()
          : Optional.of(EventBlockCodec.decodeBlock(bytes.get()));
    } catch (IOException e) {
      throw new StoreDamageException("block " + id + " is damaged: " + e.getMessage(), e);
    }
  }

  /** The known losses. */
  Damage damage() {
    return damage;
  }

  /** The state that readers see. */
  Published published() {
    return published;
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

  Lifetimes lifetimes() {
    return lifetimes;
  }

  long cachedBytes() {
    return cache.sizeBytes();
  }

  /** Releases the memory of the cache. */
  void close() {
    cache.close();
  }
}
