package io.retroscope.server.store;

import io.retroscope.event.BlockFrame;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBlockCodec;
import io.retroscope.event.LostBlocks;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.util.ArrayList;
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
    renewOutdatedZones();
    ZoneCodec codec = new ZoneCodec();
    database.forEach(
        Database.Family.ZONES,
        (key, value) -> {
          index.add(codec.decode(StoreKeys.id(key), value));
          nextBlockId = Math.max(nextBlockId, StoreKeys.id(key) + 1);
        });
    Map<Incarnation.Name, Incarnation> known = new HashMap<>();
    database.forEach(
        Database.Family.INCARNATIONS,
        (key, value) -> {
          Incarnation.Name name = StoreKeys.incarnation(key);
          known.put(
              name, Incarnation.read(name, new DataInputStream(new ByteArrayInputStream(value))));
        });
    incarnations = Map.copyOf(known);
    database.forEach(
        Database.Family.LIFETIMES,
        (key, value) -> {
          StoreKeys.NodeLifetime stored = StoreKeys.lifetime(key, value);
          lifetimes.restore(stored.node(), stored.lifetime());
        });
    List<LostBlocks> declared = new ArrayList<>();
    database.forEach(
        Database.Family.LOST,
        (key, value) -> {
          for (BlockFrame frame : EventBlockCodec.decodeAll(value)) {
            if (frame instanceof LostBlocks blocks) {
              declared.add(blocks);
            }
          }
        });
    lost = List.copyOf(declared);
    database.forEach(
        Database.Family.QUARANTINE,
        (key, value) -> {
          nextBlockId = Math.max(nextBlockId, StoreKeys.id(key) + 1);
          quarantined.addAndGet(EventBlockCodec.decodeBlock(value).size());
        });
    Map<String, SourcePosition> reached = new HashMap<>();
    database.forEach(
        Database.Family.META,
        (key, value) -> {
          SourcePosition position = StoreKeys.position(key, value);
          reached.put(position.source(), position);
        });
    positions = Map.copyOf(reached);
  }

  /** An older program's zone maps say less; the blocks say all. */
  private void renewOutdatedZones() {
    List<Long> outdated = new ArrayList<>();
    database.forEach(
        Database.Family.ZONES,
        (key, value) -> {
          if (ZoneCodec.isOutdated(value)) {
            outdated.add(StoreKeys.id(key));
          }
        });
    for (int from = 0; from < outdated.size(); from += ZONES_PER_WRITE) {
      try (Changes changes = new Changes(database)) {
        for (long id : outdated.subList(from, Math.min(outdated.size(), from + ZONES_PER_WRITE))) {
          changes.putZone(BlockZone.of(id, readBlock(id).block()));
        }
        changes.write();
      }
    }
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
            .get(Database.Family.BLOCKS, StoreKeys.id(id))
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
