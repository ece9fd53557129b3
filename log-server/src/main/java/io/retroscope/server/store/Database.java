package io.retroscope.server.store;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.Cache;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.CompressionType;
import org.rocksdb.DBOptions;
import org.rocksdb.InfoLogLevel;
import org.rocksdb.LRUCache;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.RocksObject;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

/**
 * The RocksDB database under a store: its directory, its column families, and errors that an
 * operator understands. Thread-safe; after {@link #close} every call fails cleanly.
 */
final class Database implements AutoCloseable {
  private static final String DATABASE_DIRECTORY = "db";
  private static final long CACHE_BYTES = 32L << 20;
  private static final long WRITE_BUFFER_BYTES = 32L << 20;
  private static final long MAX_LOG_BYTES = 256L << 20;

  private final Path directory;
  private final List<RocksObject> owned = new ArrayList<>();
  private final Map<String, ColumnFamilyHandle> families = new HashMap<>();
  private final WriteOptions unsynced = own(new WriteOptions().setSync(false));
  private final RocksDB rocks;

  /** Readers hold it shared, so that nothing is freed under them. */
  private final ReentrantReadWriteLock life = new ReentrantReadWriteLock();

  private boolean closed;

  private Database(Path directory) {
    this.directory = directory;
    try {
      this.rocks = openRocks(directory.resolve(DATABASE_DIRECTORY));
    } catch (RocksDBException e) {
      closeOwned();
      throw new StoreException(openError(e), e);
    }
  }

  /**
   * Opens the database in a directory, which is made if it does not exist.
   *
   * @throws StoreException if that fails, with one sentence that says why
   */
  static Database open(Path directory) {
    RocksDB.loadLibrary();
    DataDirectory.claim(directory);
    return new Database(directory);
  }

  private RocksDB openRocks(Path path) throws RocksDBException {
    Cache cache = own(new LRUCache(CACHE_BYTES));
    List<ColumnFamilyDescriptor> descriptors = new ArrayList<>();
    for (Table<?, ?> table : StoreSchema.ALL) {
      byte[] name = table.family().getBytes(StandardCharsets.UTF_8);
      descriptors.add(new ColumnFamilyDescriptor(name, familyOptions(cache)));
    }
    DBOptions options =
        own(new DBOptions())
            .setCreateIfMissing(true)
            .setCreateMissingColumnFamilies(true)
            .setMaxTotalWalSize(MAX_LOG_BYTES)
            .setInfoLogLevel(InfoLogLevel.WARN_LEVEL)
            .setKeepLogFileNum(2)
            .setMaxBackgroundJobs(2);
    List<ColumnFamilyHandle> handles = new ArrayList<>();
    RocksDB opened = RocksDB.open(options, path.toString(), descriptors, handles);
    Iterator<ColumnFamilyHandle> handle = handles.iterator();
    for (Table<?, ?> table : StoreSchema.ALL) {
      families.put(table.family(), handle.next());
    }
    return opened;
  }

  private ColumnFamilyOptions familyOptions(Cache cache) {
    BlockBasedTableConfig table =
        new BlockBasedTableConfig()
            .setBlockCache(cache)
            .setFilterPolicy(own(new BloomFilter(10)))
            .setCacheIndexAndFilterBlocks(true);
    return own(new ColumnFamilyOptions())
        .setTableFormatConfig(table)
        .setWriteBufferSize(WRITE_BUFFER_BYTES)
        .setCompressionType(CompressionType.LZ4_COMPRESSION);
  }

  private String openError(RocksDBException e) {
    String reason = String.valueOf(e.getMessage());
    String lower = reason.toLowerCase(Locale.ROOT);
    if (lower.contains("lock")) {
      return "data directory "
          + directory
          + " is in use by another log server: stop that one first";
    }
    return "cannot open the store in " + directory + ": " + reason;
  }

  private <T extends RocksObject> T own(T object) {
    owned.add(object);
    return object;
  }

  ColumnFamilyHandle handle(Table<?, ?> table) {
    ColumnFamilyHandle handle = families.get(table.family());
    if (handle == null) {
      throw new AssertionError("no column family " + table);
    }
    return handle;
  }

  /** The value of a key. */
  <K, V> Optional<V> get(Table<K, V> table, K key) {
    return inUse(
        () -> {
          byte[] bytes = rocks.get(handle(table), table.keyBytes(key));
          return bytes == null ? Optional.empty() : Optional.of(table.value(key, bytes));
        });
  }

  /** Makes a batch visible and safe from a crash of the process, as a whole or not at all. */
  void write(WriteBatch batch) {
    inUse(
        () -> {
          rocks.write(unsynced, batch);
          return true;
        });
  }

  /** Makes everything written before safe from a crash of the machine. */
  void sync() {
    inUse(
        () -> {
          rocks.flushWal(true);
          return true;
        });
  }

  /** Hands every entry of a table to the visitor, in order of the keys' bytes. */
  <K, V> void forEach(Table<K, V> table, Visitor<K, V> visitor) {
    forEach(
        table,
        visitor,
        (key, reason) -> {
          throw reason;
        });
  }

  /** The same, with a visitor of the keys whose values cannot be read. */
  <K, V> void forEach(
      Table<K, V> table, Visitor<K, V> visitor, Visitor<K, IOException> unreadable) {
    inUse(
        () -> {
          try (RocksIterator iterator = rocks.newIterator(handle(table))) {
            for (iterator.seekToFirst(); iterator.isValid(); iterator.next()) {
              visit(table, iterator, visitor, unreadable);
            }
            iterator.status();
          }
          return true;
        });
  }

  private static <K, V> void visit(
      Table<K, V> table,
      RocksIterator entry,
      Visitor<K, V> visitor,
      Visitor<K, IOException> unreadable)
      throws IOException {
    K key = table.key(entry.key());
    V value;
    try {
      value = table.value(key, entry.value());
    } catch (IOException e) {
      unreadable.visit(key, e);
      return;
    }
    visitor.visit(key, value);
  }

  /** The bytes of files that the database occupies, roughly. */
  long sizeBytes() {
    return inUse(() -> rocks.getAggregatedLongProperty("rocksdb.live-sst-files-size"));
  }

  private <T> T inUse(Action<T> action) {
    life.readLock().lock();
    try {
      if (closed) {
        throw new StoreException("the store is closed");
      }
      return action.run();
    } catch (RocksDBException e) {
      throw new StoreException(
          "the store in " + directory + " fails (is the disk full?): " + e.getMessage(), e);
    } catch (IOException e) {
      throw new StoreException("the store in " + directory + " is damaged: " + e.getMessage(), e);
    } finally {
      life.readLock().unlock();
    }
  }

  @Override
  public void close() {
    life.writeLock().lock();
    try {
      if (!closed) {
        closed = true;
        families.values().forEach(ColumnFamilyHandle::close);
        rocks.close();
        closeOwned();
      }
    } finally {
      life.writeLock().unlock();
    }
  }

  private void closeOwned() {
    List<RocksObject> reversed = new ArrayList<>(owned);
    Collections.reverse(reversed);
    reversed.forEach(RocksObject::close);
    owned.clear();
  }

  /** Sees one entry. */
  interface Visitor<K, V> {
    void visit(K key, V value) throws IOException;
  }

  private interface Action<T> {
    T run() throws RocksDBException, IOException;
  }
}
