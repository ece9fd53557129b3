package io.retroscope.server.store;

import io.retroscope.blocks.SealedBlockCodec;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBlockCodec;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Optional;

/** The blocks of a store, as they arrived or sealed, from memory or its database. Thread-safe. */
final class StoredBlocks {
  private final Database database;
  private final Damage damage;
  private final BlockCache cache;
  private final SealedNames names;

  /** The begin of history after retention; it never moves back. */
  private volatile Optional<HistoryStart> historyStart;

  StoredBlocks(Path directory, Database database, Damage damage, StoreOptions options) {
    this.historyStart = HistoryStart.read(directory);
    this.database = database;
    this.damage = damage;
    this.names = SealedNames.read(database);
    this.cache = new BlockCache(options.cacheBytes(), options.memory());
  }

  SealedNames names() {
    return names;
  }

  Optional<HistoryStart> historyStart() {
    return historyStart;
  }

  void beginAt(HistoryStart start) {
    historyStart = Optional.of(start);
  }

  /** Whether retention has removed a block, or is about to. */
  boolean isRemoved(long id) {
    return historyStart.filter(start -> id <= start.lastBlock()).isPresent();
  }

  /**
   * The block of a zone. An empty block replaces one that cannot be read, and the damage is
   * recorded.
   */
  EventBlock block(BlockZone zone, ReadPoint at) {
    EventBlock cached = cache.get(cacheKey(zone));
    if (cached != null) {
      return cached;
    }
    Optional<EventBlock> stored = uncached(zone, at);
    stored.ifPresent(block -> cache.put(cacheKey(zone), block));
    return stored.orElseGet(Damage::nothing);
  }

  /** The block of a zone from the database; empty if it cannot be read, which is recorded. */
  Optional<EventBlock> uncached(BlockZone zone, ReadPoint at) {
    String reason = "it is missing";
    try {
      Optional<EventBlock> stored = read(zone.id(), zone.isSealed(), at);
      if (stored.isPresent()) {
        return stored;
      }
    } catch (StoreDamageException e) {
      reason = String.valueOf(e.getMessage());
    }
    if (!isRemoved(zone.id())) {
      damage.addBlock(zone, reason);
    }
    return Optional.empty();
  }

  /** Reads a block; empty if there is none with the id. */
  Optional<EventBlock> read(long id, boolean sealed, ReadPoint at) {
    Optional<byte[]> bytes = at.get(database, sealed ? StoreSchema.SEALED : StoreSchema.BLOCKS, id);
    try {
      if (bytes.isEmpty()) {
        return Optional.empty();
      }
      return Optional.of(
          sealed
              ? SealedBlockCodec.open(bytes.get(), names.tables()).rows()
              : EventBlockCodec.decodeBlock(bytes.get()));
    } catch (IOException e) {
      throw new StoreDamageException("block " + id + " is damaged: " + e.getMessage(), e);
    }
  }

  /** A sealed block may have the id of a block that arrived, which an open view still reads. */
  private static long cacheKey(BlockZone zone) {
    return zone.isSealed() ? -zone.id() : zone.id();
  }

  void added(BlockZone zone, EventBlock block) {
    cache.put(cacheKey(zone), block);
  }

  void removedThrough(long id) {
    cache.removeIf(key -> Math.abs(key) <= id);
  }

  void replaced(Collection<Long> ids) {
    cache.removeIf(ids::contains);
  }

  long cachedBytes() {
    return cache.sizeBytes();
  }

  /** Releases the memory of the cache. */
  void close() {
    cache.close();
  }
}
