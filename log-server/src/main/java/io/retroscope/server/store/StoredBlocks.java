// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store;

import io.retroscope.blocks.merge.BlockSource;
import io.retroscope.blocks.merge.EncodedBatch;
import io.retroscope.blocks.merge.EncodedBlocks;
import io.retroscope.blocks.read.ColumnMemory;
import io.retroscope.blocks.read.SealedBlock;
import io.retroscope.blocks.read.SealedBlockReader;
import io.retroscope.blocks.timeline.TimelineBins;
import io.retroscope.blocks.timeline.TimelineCodec;
import io.retroscope.blocks.zone.LongZone;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBlockCodec;
import io.retroscope.rql.cut.Interest;
import io.retroscope.server.memory.LruCache;
import io.retroscope.server.store.StoreState.ReadPoint;
import io.retroscope.server.store.disk.Database;
import io.retroscope.server.store.disk.HistoryStart;
import io.retroscope.server.store.disk.StoreDamageException;
import io.retroscope.server.store.disk.StoreSchema;
import io.retroscope.server.store.zone.BlockIndex;
import io.retroscope.server.store.zone.BlockZone;
import io.retroscope.server.store.zone.Damage;
import io.retroscope.server.store.zone.SealedParts;
import io.retroscope.server.store.zone.SummaryCodec;
import io.retroscope.server.store.zone.Writers;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** The blocks of a store, as they arrived or sealed, from memory or its database. Thread-safe. */
final class StoredBlocks {
  /** The fraction of the memory for decoded blocks that is added for the writers in blocks. */
  private static final int WRITERS_SHARE = 8;

  private final Database database;
  private final Damage damage;
  private final BlockCache cache;
  private final SealedNames names;

  /** By the ids of sealed blocks. */
  private final LruCache<Long, Writers> writers;

  /** The begin of history after retention; it never moves back. */
  private volatile Optional<HistoryStart> historyStart;

  /** Makes a block of its bytes. */
  private interface Decoder {
    EventBlock decode(byte[] bytes) throws IOException;
  }

  StoredBlocks(Path directory, Database database, Damage damage, StoreOptions options) {
    this.historyStart = HistoryStart.read(directory);
    this.database = database;
    this.damage = damage;
    this.names = SealedNames.read(database);
    this.cache = new BlockCache(options.cacheBytes(), options.memory());
    this.writers =
        new LruCache<>(
            options.cacheBytes() / WRITERS_SHARE, Writers::memoryBytes, options.memory());
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
    EventBlock cached = cache.get(key(zone));
    if (cached != null) {
      return cached;
    }
    Optional<EventBlock> stored = uncached(zone, at);
    stored.ifPresent(block -> cache.put(key(zone), block));
    return stored.orElseGet(Damage::nothing);
  }

  /**
   * The rows of a sealed block that matter to a walk; other rows may be missing.
   *
   * @param memory to which the block is released, unless it is in the cache
   */
  private EventBlock sealed(
      BlockZone zone,
      SealedParts.Shape shape,
      Interest interest,
      ReadPoint at,
      ColumnMemory memory) {
    EventBlock cached = cache.get(key(zone));
    return cached != null
        ? cached
        : uncached(zone, bytes -> sealed(bytes, zone, shape, interest, memory), at)
            .orElseGet(Damage::nothing);
  }

  private EventBlock sealed(
      byte[] bytes, BlockZone zone, SealedParts.Shape shape, Interest interest, ColumnMemory memory)
      throws IOException {
    SealedBlock block = SealedBlockReader.open(bytes, names.tables());
    Predicate<String> followed = name -> interest.follows(shape.log(), name);
    boolean isMost = 2 * shape.written().stream().filter(followed).count() > shape.written().size();
    Predicate<String> wanted = isMost ? any -> true : followed;
    EventBlock columns = block.columns(wanted, memory);
    if (columns != null) {
      return columns; // Nearly as fast to decode again as to walk from other memory.
    }
    EventBlock rows = block.rows(wanted);
    if (isMost) {
      // Decoding of parts is repeated, so it must be much less work.
      cache.put(key(zone), rows);
    }
    return rows;
  }

  /**
   * What a sealed block does to a state; empty if that is not known without the block, or cannot be
   * read.
   */
  Optional<LongZone> longZone(BlockZone zone, ReadPoint at) {
    if (!(zone.nodes() instanceof SealedParts parts) || !parts.shape().setsStateOnly()) {
      return Optional.empty();
    }
    try {
      Optional<byte[]> summary = at.get(database, StoreSchema.SUMMARIES, zone.id());
      return summary.isEmpty()
          ? Optional.empty()
          : SummaryCodec.decodeLongZone(summary.get(), names.nodes());
    } catch (IOException | StoreDamageException e) {
      return Optional.empty(); // The block itself is read.
    }
  }

  /** The writers in a sealed block; empty if that is not known without the block. */
  Optional<Writers> writers(BlockZone zone, ReadPoint at) {
    if (!(zone.nodes() instanceof SealedParts parts)) {
      return Optional.empty();
    }
    Writers before = writers.get(zone.id());
    if (before != null) {
      return Optional.of(before);
    }
    try {
      Optional<byte[]> summary = at.get(database, StoreSchema.SUMMARIES, zone.id());
      if (summary.isEmpty()) {
        return Optional.empty();
      }
      Writers known = SummaryCodec.decodeWriters(summary.get(), parts.shape(), names.nodes());
      writers.put(zone.id(), known);
      return Optional.of(known);
    } catch (IOException | StoreDamageException e) {
      return Optional.empty(); // The block itself is read.
    }
  }

  /**
   * The stored bins of a sealed block; empty if an older program sealed it, or they are damaged.
   */
  Optional<TimelineBins> timeline(BlockZone zone, ReadPoint at) {
    try {
      Optional<byte[]> bytes =
          zone.isSealed() ? at.get(database, StoreSchema.TIMELINES, zone.id()) : Optional.empty();
      return bytes.isEmpty()
          ? Optional.empty()
          : Optional.of(TimelineCodec.decode(bytes.get(), names.tables()));
    } catch (IOException | StoreDamageException e) {
      return Optional.empty(); // The block itself is read.
    }
  }

  /** The bytes of a zone's block; empty if they cannot be read, which is recorded. */
  Optional<byte[]> bytes(BlockZone zone, ReadPoint at) {
    String reason = "it is missing";
    try {
      Optional<byte[]> stored =
          at.get(database, zone.isSealed() ? StoreSchema.SEALED : StoreSchema.BLOCKS, zone.id());
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

  /** The block of a zone from the database; empty if it cannot be read, which is recorded. */
  Optional<EventBlock> uncached(BlockZone zone, ReadPoint at) {
    return uncached(zone, bytes -> decoded(bytes, zone.isSealed()), at);
  }

  /**
   * The blocks of zones of which none is sealed, from the database. An empty block replaces one
   * that cannot be read, which is recorded.
   *
   * @param zones in the order of their ids
   */
  List<EventBlock> arrivals(List<BlockZone> zones, ReadPoint at) {
    // From the database, because a name in memory may differ from what can be stored of it.
    Map<Long, byte[]> stored =
        database.getAll(StoreSchema.BLOCKS, zones.stream().map(BlockZone::id).toList());
    List<EventBlock> blocks = new ArrayList<>(zones.size());
    for (BlockZone zone : zones) {
      byte[] bytes = stored.get(zone.id());
      EventBlock block = null;
      try {
        block = bytes == null ? null : EventBlockCodec.decodeBlock(bytes);
      } catch (IOException e) {
        // It is read once more, which records the damage.
      }
      blocks.add(block == null ? uncached(zone, at).orElseGet(Damage::nothing) : block);
    }
    return blocks;
  }

  private Optional<EventBlock> uncached(BlockZone zone, Decoder decoder, ReadPoint at) {
    String reason = "it is missing";
    try {
      Optional<EventBlock> stored = read(zone.id(), zone.isSealed(), decoder, at);
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
    return read(id, sealed, bytes -> decoded(bytes, sealed), at);
  }

  private Optional<EventBlock> read(long id, boolean sealed, Decoder decoder, ReadPoint at) {
    Optional<byte[]> bytes = at.get(database, sealed ? StoreSchema.SEALED : StoreSchema.BLOCKS, id);
    try {
      return bytes.isEmpty() ? Optional.empty() : Optional.of(decoder.decode(bytes.get()));
    } catch (IOException e) {
      throw new StoreDamageException("block " + id + " is damaged: " + e.getMessage(), e);
    }
  }

  private EventBlock decoded(byte[] bytes, boolean sealed) throws IOException {
    return sealed
        ? SealedBlockReader.open(bytes, names.tables()).rows()
        : EventBlockCodec.decodeBlock(bytes);
  }

  /** A sealed block may have the id of a block that arrived, which an open view still reads. */
  static long key(BlockZone zone) {
    return zone.isSealed() ? -zone.id() : zone.id();
  }

  void added(BlockZone zone, EventBlock block) {
    cache.put(key(zone), block);
  }

  void removedThrough(long id) {
    cache.removeIf(key -> Math.abs(key) <= id);
  }

  void replaced(List<BlockZone> zones) {
    Set<Long> keys = zones.stream().map(StoredBlocks::key).collect(Collectors.toSet());
    cache.removeIf(keys::contains);
  }

  long cachedBytes() {
    return cache.sizeBytes();
  }

  /** Releases the memory of the caches. */
  void close() {
    writers.close();
    cache.close();
  }

  /**
   * The blocks of a scan, which asks for them about in the order in which they arrived.
   *
   * @param read receives the ids of blocks that are read
   */
  Ahead ahead(Interest interest, ReadPoint at, Ids read) {
    return new Ahead(interest, at, read);
  }

  /** A set of ids, most of which are close to others. Thread-safe. */
  static final class Ids {
    private static final int PAGE_BITS = 16;

    private final Map<Long, BitSet> pages = new HashMap<>();
    private long latestNumber = -1;
    private BitSet latest = new BitSet();

    synchronized void add(long id) {
      set(id);
    }

    private void set(long id) {
      long number = id >>> PAGE_BITS;
      if (number != latestNumber) {
        latest = pages.computeIfAbsent(number, page -> new BitSet());
        latestNumber = number;
      }
      latest.set((int) (id & ((1 << PAGE_BITS) - 1)));
    }

    synchronized void addAll(long[] ids) {
      for (long id : ids) {
        set(id);
      }
    }

    synchronized long size() {
      return pages.values().stream().mapToLong(BitSet::cardinality).sum();
    }
  }

  /**
   * Blocks that are read before they are asked for, as long as most of them are: to find a small
   * block takes longer than to read it. Used by one thread.
   */
  final class Ahead {
    private static final int MAX_COUNT = 64;
    private static final int MAX_BYTES = 256 << 10;

    private final Interest interest;
    private final ReadPoint at;
    private final Ids ids;
    private final ColumnMemory memory = new ColumnMemory();
    private Map<Long, byte[]> read = Map.of();
    private int count = 1;
    private int used;

    private Ahead(Interest interest, ReadPoint at, Ids ids) {
      this.ids = ids;
      this.interest = interest;
      this.at = at;
    }

    /**
     * The rows of a block that matter to the walk, until it is {@linkplain #release released};
     * other rows may be missing.
     */
    EventBlock block(BlockZone zone) {
      ids.add(zone.id());
      if (zone.nodes() instanceof SealedParts parts) {
        return sealed(zone, parts.shape(), interest, at, memory);
      }
      EventBlock cached = cache.get(key(zone));
      if (cached != null) {
        return cached;
      }
      byte[] bytes = read.get(zone.id());
      if (bytes == null) {
        count = used * 2 >= read.size() ? Math.min(MAX_COUNT, 2 * count) : 1;
        used = 0;
        // What has been replaced since is not found, and read below; nothing has changed.
        read =
            count == 1
                ? Map.of()
                : database.getFrom(StoreSchema.BLOCKS, zone.id(), count, MAX_BYTES);
        bytes = read.get(zone.id());
      }
      used++;
      return bytes == null ? StoredBlocks.this.block(zone, at) : decoded(zone, bytes);
    }

    /** Receives a block that is not read any more. */
    void release(EventBlock block) {
      memory.release(block);
    }

    private void read(long[] zones, EncodedBatch to) {
      ids.addAll(zones);
      cache.addTo(zones, to);
      database.read(StoreSchema.BLOCKS, zones, to);
    }

    /**
     * Blocks of zones that have a shape.
     *
     * @param zones their indexes, ascending
     */
    EncodedBlocks arrived(
        BlockIndex.Snapshot index, int[] zones, Function<BlockZone, BlockSource> source) {
      return new Arrived(index, zones, source);
    }

    /** Blocks as they arrived, of one log. Used by one thread. */
    private final class Arrived implements EncodedBlocks {
      private static final byte YES = 1;
      private static final byte NO = 2;

      private final BlockIndex.Snapshot index;
      private final int[] zones;
      private final Function<BlockZone, BlockSource> source;

      /** Whether the shapes of zones matter; 0 if that is not known. */
      private final byte[] shapes;

      Arrived(BlockIndex.Snapshot index, int[] zones, Function<BlockZone, BlockSource> source) {
        this.index = index;
        this.zones = zones;
        this.source = source;
        this.shapes = new byte[index.shapes().size()];
      }

      @Override
      public int count() {
        return zones.length;
      }

      @Override
      public long firstHlc(int place) {
        return index.firstHlc(zones[place]);
      }

      @Override
      public long lastHlc(int place) {
        return index.lastHlc(zones[place]);
      }

      @Override
      public int rowCount(int place) {
        return index.rowCount(zones[place]);
      }

      @Override
      public boolean matters(int place) {
        int shape = index.shape(zones[place]);
        if (shapes[shape] == 0) {
          shapes[shape] = index.shapes().get(shape).matters(interest) ? YES : NO;
        }
        return shapes[shape] == YES;
      }

      @Override
      public long arrival(int place) {
        return index.id(zones[place]);
      }

      @Override
      public BlockSource source(int place) {
        return source.apply(index.zone(zones[place]));
      }

      @Override
      public void read(int[] places, EncodedBatch to) {
        long[] ids = new long[places.length];
        for (int i = 0; i < ids.length; i++) {
          ids[i] = arrival(places[i]);
        }
        Ahead.this.read(ids, to);
      }
    }

    private EventBlock decoded(BlockZone zone, byte[] bytes) {
      try {
        EventBlock block = EventBlockCodec.decodeBlock(bytes);
        cache.put(key(zone), block);
        return block;
      } catch (IOException e) {
        return StoredBlocks.this.block(zone, at); // It also records the damage.
      }
    }
  }
}
