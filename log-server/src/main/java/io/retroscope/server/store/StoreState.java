package io.retroscope.server.store;

import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBlockCodec;
import io.retroscope.event.LostBlocks;
import io.retroscope.rql.cut.HlcRange;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What is published of the store: the index, the incarnations, the lifetimes, and blocks on demand.
 * Written by the writing thread, read by everybody; thread-safe.
 */
final class StoreState {
  private static final Logger logger = LoggerFactory.getLogger(StoreState.class);
  private static final int ZONES_PER_WRITE = 1_000;

  private final Database database;
  private final BlockIndex index = new BlockIndex();
  private final Lifetimes lifetimes = new Lifetimes();
  private final BlockCache cache;
  private final List<StoreListener> listeners = new CopyOnWriteArrayList<>();

  /** Replaced as a whole by the writing thread. */
  private volatile List<LostBlocks> lost = List.of();

  private final AtomicLong quarantined = new AtomicLong();

  /** Replaced as a whole by the writing thread. */
  private volatile Map<Incarnation.Name, Incarnation> incarnations = Map.of();

  /** By their sources' names; replaced as a whole by the writing thread. */
  private volatile Map<String, SourcePosition> positions = Map.of();

  /** Owned by the writing thread. */
  private long nextBlockId = 1;

  private record StoredBlock(EventBlock block, int encodedBytes) {}

  StoreState(Database database, long cacheBytes) {
    this.database = database;
    this.cache = new BlockCache(cacheBytes);
    recover();
  }

  private void recover() {
    recoverZones();
    Map<Incarnation.Name, Incarnation> known = new HashMap<>();
    database.forEach(StoreSchema.INCARNATIONS, known::put);
    incarnations = Map.copyOf(known);
    database.forEach(
        StoreSchema.LIFETIMES,
        (start, end) -> lifetimes.restore(start.node(), new HlcRange(start.hlc(), end)));
    List<LostBlocks> declared = new ArrayList<>();
    database.forEach(StoreSchema.LOST, (range, notice) -> declared.add(notice));
    lost = List.copyOf(declared);
    database.forEach(
        StoreSchema.QUARANTINE,
        (id, block) -> {
          nextBlockId = Math.max(nextBlockId, id + 1);
          quarantined.addAndGet(block.size());
        });
    Map<String, SourcePosition> reached = new HashMap<>();
    database.forEach(StoreSchema.POSITIONS, reached::put);
    positions = Map.copyOf(reached);
  }

  private void recoverZones() {
    ZoneNames names = new ZoneNames();
    List<BlockZone> zones = new ArrayList<>();
    List<Long> unreadable = new ArrayList<>();
    database.forEach(
        StoreSchema.ZONES,
        (id, zone) -> zones.add(names.shared(zone)),
        (id, reason) -> unreadable.add(id));
    for (int from = 0; from < unreadable.size(); from += ZONES_PER_WRITE) {
      int to = Math.min(unreadable.size(), from + ZONES_PER_WRITE);
      zones.addAll(renewZones(unreadable.subList(from, to)));
    }
    zones.sort(Comparator.comparingLong(BlockZone::id));
    for (BlockZone zone : zones) {
      index.add(zone);
      nextBlockId = zone.id() + 1;
    }
  }

  /** An older program's zone maps say less; the blocks say all. */
  private List<BlockZone> renewZones(List<Long> ids) {
    List<BlockZone> renewed = new ArrayList<>();
    try (Changes changes = new Changes(database)) {
      for (long id : ids) {
        BlockZone zone = BlockZone.of(id, readBlock(id).block());
        changes.putZone(zone);
        renewed.add(zone);
      }
      changes.write();
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

  /** Makes a written change visible. */
  void publish(Changes changes) {
    if (!changes.incarnations().isEmpty()) {
      Map<Incarnation.Name, Incarnation> copy = new HashMap<>(incarnations);
      copy.putAll(changes.incarnations());
      incarnations = copy;
    }
    if (!changes.positions().isEmpty()) {
      Map<String, SourcePosition> copy = new HashMap<>(positions);
      copy.putAll(changes.positions());
      positions = copy;
    }
    for (Changes.NewBlock added : changes.blocks()) {
      cache.put(added.zone().id(), added.block(), added.encodedBytes());
      index.add(added.zone());
    }
    if (!changes.lost().isEmpty()) {
      List<LostBlocks> copy = new ArrayList<>(lost);
      copy.addAll(changes.lost());
      lost = List.copyOf(copy);
    }
    quarantined.addAndGet(changes.quarantinedCount());
    listeners.forEach(listener -> tell(listener, changes));
  }

  /** What a listener makes of it must neither fail what is stored nor keep it from the others. */
  private static void tell(StoreListener listener, Changes changes) {
    try {
      changes.blocks().forEach(added -> listener.stored(added.block()));
      listener.heard(changes.incarnations().values());
    } catch (RuntimeException | Error e) {
      logger.error("{} failed at what was stored", listener, e);
    }
  }

  /** The block of a zone, from memory or from the database. */
  EventBlock block(BlockZone zone) {
    EventBlock cached = cache.get(zone.id());
    if (cached != null) {
      return cached;
    }
    StoredBlock stored = readBlock(zone.id());
    cache.put(zone.id(), stored.block(), stored.encodedBytes());
    return stored.block();
  }

  private StoredBlock readBlock(long id) {
    byte[] bytes =
        database
            .get(StoreSchema.BLOCKS, id)
            .orElseThrow(() -> new StoreException("block " + id + " is missing"));
    try {
      return new StoredBlock(EventBlockCodec.decodeBlock(bytes), bytes.length);
    } catch (IOException e) {
      throw new StoreException("block " + id + " is damaged: " + e.getMessage(), e);
    }
  }

  /** Not changed any more once handed out. */
  Map<String, SourcePosition> positions() {
    return positions;
  }

  BlockIndex index() {
    return index;
  }

  Lifetimes lifetimes() {
    return lifetimes;
  }

  /** Not changed any more once handed out. */
  Map<Incarnation.Name, Incarnation> incarnations() {
    return incarnations;
  }

  List<LostBlocks> lost() {
    return lost;
  }

  long quarantinedCount() {
    return quarantined.get();
  }

  long cachedBytes() {
    return cache.sizeBytes();
  }
}
