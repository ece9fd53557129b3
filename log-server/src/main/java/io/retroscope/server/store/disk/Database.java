// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store.disk;

import io.retroscope.blocks.merge.EncodedBatch;
import io.retroscope.server.store.disk.OpenRocks.Mode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.BiConsumer;
import java.util.function.BiPredicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.rocksdb.BackupEngine;
import org.rocksdb.BackupEngineOptions;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.CompactRangeOptions;
import org.rocksdb.Env;
import org.rocksdb.LiveFileMetaData;
import org.rocksdb.ReadOptions;
import org.rocksdb.RestoreOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.Snapshot;
import org.rocksdb.Status;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

/**
 * The RocksDB database of a store: its directory, its column families, and errors that an operator
 * understands. Thread-safe; after {@link #close} every call throws a {@link StoreException}.
 */
public final class Database implements AutoCloseable {
  private static final String DATABASE_DIRECTORY = "db";

  /** Other readers wait as long as a reopening does. */
  private static final long REOPEN_WAIT_MILLIS = 100;

  /** The words of RocksDB for tables that the schema does not have. */
  private static final String UNKNOWN_TABLES = "Column families not opened";

  private final Path directory;
  private final WriteOptions unsynced = new WriteOptions().setSync(false);

  /** Ends compactions when the database is closed. */
  private final CompactRangeOptions compaction = new CompactRangeOptions();

  /** Readers hold it shared, so that {@link #close} does not free native memory that is in use. */
  private final ReentrantReadWriteLock life = new ReentrantReadWriteLock();

  /** The snapshots that are in use; released before the database is opened again. */
  private final Set<Frozen> frozen = ConcurrentHashMap.newKeySet();

  private volatile OpenRocks open;

  /** Why it is closed, in one sentence. */
  private volatile @Nullable String closed;

  /** Why the last write failed, if the disk was full. */
  private volatile @Nullable FullDiskException full;

  private Database(Path directory, OpenRocks open) {
    this.directory = directory;
    this.open = open;
  }

  /**
   * Opens the database in a data directory; it is created if it does not exist.
   *
   * @throws StoreDamageException if the existing database is incomplete
   * @throws StoreException if it cannot be opened; the message is one sentence with the reason
   */
  public static Database open(Path directory, Mode mode) {
    try {
      return new Database(directory, new OpenRocks(path(directory), mode));
    } catch (RocksDBException e) {
      throw openError(directory, e);
    }
  }

  /** Opens a database that cannot be written because its disk is full, for reading until then. */
  static Database openFull(Path directory, FullDiskException reason) {
    Database database = open(directory, Mode.READ_ONLY);
    database.full = reason;
    return database;
  }

  /** The path of the database in a data directory. */
  public static Path path(Path directory) {
    return directory.resolve(DATABASE_DIRECTORY);
  }

  /** Whether a data directory contains a database. */
  static boolean exists(Path directory) {
    return Files.exists(path(directory).resolve("CURRENT"));
  }

  private static StoreException openError(Path directory, RocksDBException e) {
    String reason = String.valueOf(e.getMessage());
    if (reason.toLowerCase(Locale.ROOT).contains("lock")) {
      return new StoreException(
          "data directory " + directory + " is in use by another log server: stop that one first",
          e);
    }
    if (reason.contains(UNKNOWN_TABLES)) {
      return new StoreException(
          "the store in %s has tables of another version of this program (%s): use the program that wrote it, or another directory"
              .formatted(directory, reason.substring(reason.lastIndexOf(':') + 1).strip()),
          e);
    }
    return isDamage(e) || isFullDisk(e)
        ? failure(directory, e)
        : new StoreException("cannot open the store in " + directory + ": " + reason, e);
  }

  private static StoreException failure(Path directory, RocksDBException e) {
    String reason = String.valueOf(e.getMessage());
    if (is(e, Status.Code.Incomplete)) {
      return new StoreException("the store is closing");
    }
    if (isDamage(e)) {
      return new StoreDamageException("the store in " + directory + " is damaged: " + reason, e);
    }
    return isFullDisk(e)
        ? new FullDiskException(directory, e)
        : new StoreException("the store in " + directory + " cannot read or write: " + reason, e);
  }

  private static boolean isDamage(RocksDBException e) {
    return is(e, Status.Code.Corruption);
  }

  private static boolean is(RocksDBException e, Status.Code code) {
    Status status = e.getStatus();
    return status != null && status.getCode() == code;
  }

  private static boolean isFullDisk(RocksDBException e) {
    Status status = e.getStatus();
    return status != null && status.getSubCode() == Status.SubCode.NoSpace;
  }

  /** Whether the database is read-only because the disk was full when it was opened. */
  public boolean isReadOnly() {
    return open.isReadOnly();
  }

  /** Whether the disk was full at the last write, since which the database has not been opened. */
  public boolean isFull() {
    return full != null;
  }

  /**
   * Checks that the last write did not find the disk full.
   *
   * @throws StoreException if it did, until the database has been opened again
   */
  public void checkNotFull() {
    FullDiskException reason = full;
    if (reason != null) {
      throw reason;
    }
  }

  /**
   * Checks that it is worth opening a database again whose disk was full.
   *
   * @throws StoreException if the disk is still full
   */
  public void checkRoom() {
    FullDiskException reason = full;
    if (reason != null && directory.toFile().getUsableSpace() < RocksSettings.LEAST_FREE_BYTES) {
      throw reason;
    }
  }

  /**
   * Opens a database for writing again whose disk was full. RocksDB itself does not continue after
   * a failure in the first record of a log file. Only the writing thread may call it.
   *
   * @throws StoreException if that is still impossible, or a reader is taking long; the database
   *     can still be read then, unless its files are damaged: see {@link #isReadable}
   */
  public void reopen() {
    awaitReaders();
    try {
      checkOpen();
      frozen.forEach(Frozen::release);
      frozen.clear();
      open.close();
      openAgain();
      full = null;
    } finally {
      life.writeLock().unlock();
    }
  }

  /** Takes the lock for writing, but does not wait for a backup or a compaction to end. */
  private void awaitReaders() {
    try {
      if (!life.writeLock().tryLock(REOPEN_WAIT_MILLIS, TimeUnit.MILLISECONDS)) {
        throw new StoreException(
            "the disk was full, and the store in %s is opened again once its backup, compaction or long read has ended"
                .formatted(directory));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StoreException("interrupted while opening the store again", e);
    }
  }

  /** Whether it is open, for writing or only for reading. */
  public boolean isReadable() {
    return closed == null;
  }

  private void checkOpen() {
    String reason = closed;
    if (reason != null) {
      throw new StoreException(reason);
    }
  }

  private void openAgain() {
    try {
      open = new OpenRocks(path(directory), Mode.STRICT);
    } catch (RocksDBException failure) {
      try {
        open = new OpenRocks(path(directory), Mode.READ_ONLY);
      } catch (RocksDBException e) {
        throw closed(openError(directory, e));
      }
      throw openError(directory, failure);
    }
    long found = open.rocks().getLatestSequenceNumber();
    long expected = SyncedMarker.read(directory).orElse(0);
    if (found < expected) {
      open.close();
      throw closed(StoreDamageException.lost(directory, found, expected));
    }
  }

  private StoreException closed(StoreException reason) {
    closed =
        "the store could not be opened again: start the server anew (" + reason.getMessage() + ")";
    return reason;
  }

  /** See {@link OpenRocks#damaged}. */
  Map<Table<?, ?>, RocksDBException> damaged(List<Table<?, ?>> tables) {
    return inUse(() -> open.damaged(tables));
  }

  /** The sorted files of all tables. */
  public List<LiveFileMetaData> liveFiles() {
    return inUse(() -> open.rocks().getLiveFilesMetaData());
  }

  /** Replaces a table by an empty one; nothing else may use the database meanwhile. */
  void clear(Table<?, ?> table) {
    inUse(
        () -> {
          open.clear(table);
          return true;
        });
  }

  public ColumnFamilyHandle handle(Table<?, ?> table) {
    checkOpen(); // The handles of a closed database are freed memory.
    return open.handle(table);
  }

  /** The value of a key. */
  public <K, V> Optional<V> get(Table<K, V> table, K key) {
    return inUse(
        () -> {
          if (!open.has(table)) {
            return Optional.empty();
          }
          byte[] bytes = open.rocks().get(handle(table), table.keyBytes(key));
          return bytes == null ? Optional.empty() : Optional.of(table.value(key, bytes));
        });
  }

  /**
   * The value of a key and those that follow it, up to a number of them and of bytes, or to one
   * that cannot be read.
   */
  public <K> Map<K, byte[]> getFrom(Table<K, byte[]> table, K key, int count, int maxBytes) {
    return inUse(
        () -> {
          Map<K, byte[]> found = new HashMap<>();
          int bytes = 0;
          try (RocksIterator iterator = open.rocks().newIterator(handle(table))) {
            iterator.seek(table.keyBytes(key));
            while (iterator.isValid() && found.size() < count && bytes < maxBytes) {
              K next = table.key(iterator.key());
              byte[] value = table.value(next, iterator.value());
              found.put(next, value);
              bytes += value.length;
              iterator.next();
            }
          } catch (IOException e) {
            return found; // Whoever asks for this value itself learns why.
          }
          return found;
        });
  }

  /**
   * The values of some keys. Those that have no value, or cannot be read together with the others,
   * are left out.
   *
   * @param ordered in the order of their bytes
   */
  public <K> Map<K, byte[]> getAll(Table<K, byte[]> table, List<K> ordered) {
    return inUse(() -> open.getAll(table, ordered));
  }

  /**
   * Reads values that are not in the result already; those that are missing or too long are missing
   * in it afterwards.
   */
  public void read(Table<Long, byte[]> table, long[] ascending, EncodedBatch to) {
    inUse(
        () -> {
          open.read(table, ascending, to);
          return true;
        });
  }

  /** The database as it is at this moment; must be closed. */
  public Frozen freeze() {
    return inUse(
        () -> {
          Frozen now = new Frozen(open.rocks());
          frozen.add(now);
          return now;
        });
  }

  /**
   * The database as it was at one moment. Thread-safe. After {@link #reopen} every call throws a
   * {@link StoreException}.
   */
  public final class Frozen implements AutoCloseable {
    private final RocksDB rocks;
    private final Snapshot snapshot;
    private final ReadOptions options;
    private boolean thawed;

    private Frozen(RocksDB rocks) {
      this.rocks = rocks;
      snapshot = rocks.getSnapshot();
      options = new ReadOptions().setSnapshot(snapshot);
    }

    /**
     * The value that a key had then.
     *
     * @throws IllegalStateException if this is closed
     */
    public synchronized <K, V> Optional<V> get(Table<K, V> table, K key) {
      if (thawed) {
        throw new IllegalStateException("the view of the store is closed");
      }
      return inUse(
          () -> {
            check();
            byte[] bytes = rocks.get(handle(table), options, table.keyBytes(key));
            return bytes == null ? Optional.empty() : Optional.of(table.value(key, bytes));
          });
    }

    /** See {@link Database#fromFloor}. */
    public synchronized <K, V> List<V> fromFloor(Table<K, V> table, Stretch<K> stretch, int count) {
      if (thawed) {
        throw new IllegalStateException("the view of the store is closed");
      }
      return inUse(
          () -> {
            check();
            try (RocksIterator iterator = rocks.newIterator(handle(table), options)) {
              return Database.fromFloor(iterator, table, stretch, count);
            }
          });
    }

    private void check() {
      if (!frozen.contains(this)) {
        throw new StoreException(
            "the store was opened again because its disk had been full: repeat the query");
      }
    }

    private void release() {
      rocks.releaseSnapshot(snapshot);
    }

    @Override
    public synchronized void close() {
      life.readLock().lock();
      try {
        if (frozen.remove(this) && closed == null) {
          release();
        }
        if (!thawed) {
          options.close();
          snapshot.close();
        }
        thawed = true;
      } finally {
        life.readLock().unlock();
      }
    }
  }

  /**
   * A stretch of the keys of a table, in the order of their bytes.
   *
   * @param lowest the lowest key that may be part of it
   * @param at the last entry at or below it begins the stretch, or else the first one above
   * @param below the keys from here on are not part of it
   */
  public record Stretch<K>(K lowest, K at, K below) {}

  /** The values of a stretch of keys, at most this many. */
  public <K, V> List<V> fromFloor(Table<K, V> table, Stretch<K> stretch, int count) {
    return inUse(
        () -> {
          if (!open.has(table)) {
            return List.of();
          }
          try (RocksIterator iterator = open.rocks().newIterator(handle(table))) {
            return fromFloor(iterator, table, stretch, count);
          }
        });
  }

  public static <K, V> List<V> fromFloor(
      RocksIterator iterator, Table<K, V> table, Stretch<K> stretch, int count)
      throws RocksDBException, IOException {
    byte[] lowest = table.keyBytes(stretch.lowest());
    byte[] below = table.keyBytes(stretch.below());
    iterator.seekForPrev(table.keyBytes(stretch.at()));
    if (!iterator.isValid() || Arrays.compareUnsigned(iterator.key(), lowest) < 0) {
      iterator.status();
      iterator.seek(lowest);
    }
    List<V> values = new ArrayList<>();
    while (values.size() < count
        && iterator.isValid()
        && Arrays.compareUnsigned(iterator.key(), below) < 0) {
      values.add(table.value(table.key(iterator.key()), iterator.value()));
      iterator.next();
    }
    iterator.status();
    return values;
  }

  /**
   * Passes the first and the last entry of each group of adjacent keys to the visitor, and reads
   * none between them.
   *
   * @param highest the highest possible key in the group of a key
   */
  public <K, V> void forEachGroup(
      Table<K, V> table,
      UnaryOperator<K> highest,
      BiConsumer<Map.Entry<K, V>, Map.Entry<K, V>> visitor) {
    inUse(
        () -> {
          if (!open.has(table)) {
            return false;
          }
          try (RocksIterator iterator = open.rocks().newIterator(handle(table))) {
            iterator.seekToFirst();
            while (iterator.isValid()) {
              Map.Entry<K, V> first = entry(table, iterator);
              iterator.seekForPrev(table.keyBytes(highest.apply(first.getKey())));
              iterator.status();
              visitor.accept(first, entry(table, iterator));
              iterator.next();
            }
            iterator.status();
          }
          return true;
        });
  }

  private static <K, V> Map.Entry<K, V> entry(Table<K, V> table, RocksIterator at)
      throws IOException {
    K key = table.key(at.key());
    return Map.entry(key, table.value(key, at.value()));
  }

  /** The key whose bytes are the highest in a table. */
  public <K> Optional<K> lastKey(Table<K, ?> table) {
    return inUse(
        () -> {
          if (!open.has(table)) {
            return Optional.empty();
          }
          try (RocksIterator iterator = open.rocks().newIterator(handle(table))) {
            iterator.seekToLast();
            iterator.status();
            return iterator.isValid() ? Optional.of(table.key(iterator.key())) : Optional.empty();
          }
        });
  }

  /** Makes a batch visible atomically, and durable against a crash of the process. */
  public void write(WriteBatch batch) {
    try {
      inUse(
          () -> {
            open.rocks().write(unsynced, batch);
            return true;
          });
    } catch (FullDiskException e) {
      full = e;
      throw e;
    }
  }

  /** Makes everything that was written before durable against a crash of the machine. */
  public void sync() {
    inUse(
        () -> {
          open.rocks().flushWal(true);
          return true;
        });
  }

  /** The number of the last change that was written or recovered. */
  public long sequence() {
    return inUse(() -> open.rocks().getLatestSequenceNumber());
  }

  /** Passes the entries of a table from a key on to a visitor, until it returns false. */
  public <K, V> void forEachFrom(Table<K, V> table, K first, BiPredicate<K, V> visitor) {
    inUse(
        () -> {
          if (!open.has(table)) {
            return false;
          }
          try (RocksIterator iterator = open.rocks().newIterator(handle(table))) {
            boolean continues = true;
            for (iterator.seek(table.keyBytes(first));
                continues && iterator.isValid();
                iterator.next()) {
              Map.Entry<K, V> entry = entry(table, iterator);
              continues = visitor.test(entry.getKey(), entry.getValue());
            }
            iterator.status();
          }
          return true;
        });
  }

  /** Passes every entry of a table to the visitor, in order of the keys' bytes. */
  public <K, V> void forEach(Table<K, V> table, Visitor<K, V> visitor) {
    forEach(
        table,
        visitor,
        (key, reason) -> {
          throw reason;
        });
  }

  /**
   * Passes every entry of a table to the visitor, and the keys of unreadable values to another one.
   */
  public <K, V> void forEach(
      Table<K, V> table, Visitor<K, V> visitor, Visitor<K, IOException> unreadable) {
    inUse(
        () -> {
          if (!open.has(table)) {
            return false;
          }
          try (RocksIterator iterator = open.rocks().newIterator(handle(table))) {
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

  /**
   * Rewrites all files, so that removed entries occupy no space.
   *
   * @throws StoreException also if the database is closed meanwhile
   */
  public void compact() {
    inUse(
        () -> {
          for (Table<?, ?> table : StoreSchema.ALL) {
            open.rocks().compactRange(handle(table), null, null, compaction);
          }
          return true;
        });
  }

  /**
   * Frees the space of removed blocks with ids up to {@code lastBlock}.
   *
   * @throws StoreException also if the database is closed meanwhile
   */
  public void freeThrough(long lastBlock) {
    inUse(
        () -> {
          for (Table<Long, ?> table : StoreSchema.OF_BLOCKS) {
            byte[] from = table.keyBytes(0L);
            byte[] to = table.keyBytes(lastBlock + 1);
            open.rocks().compactRange(handle(table), from, to, compaction);
          }
          return true;
        });
  }

  /** Adds a backup to a folder of backups, which is created if it does not exist. */
  public void backup(Path backups) {
    inUse(
        () -> {
          DataDirectory.createPrivate(backups);
          try (BackupEngineOptions options = backupOptions(backups);
              BackupEngine engine = BackupEngine.open(Env.getDefault(), options)) {
            engine.createNewBackup(open.rocks(), true);
          }
          return true;
        });
  }

  /** Copies the latest backup into a data directory without a database. */
  public static void restore(Path backups, Path directory) {
    RocksDB.loadLibrary();
    String database = path(directory).toString();
    try (BackupEngineOptions options = backupOptions(backups);
        BackupEngine engine = BackupEngine.open(Env.getDefault(), options);
        RestoreOptions copies = new RestoreOptions(false)) {
      engine.restoreDbFromLatestBackup(database, database, copies);
    } catch (RocksDBException e) {
      throw new StoreException(
          "cannot restore the latest backup in " + backups + ": " + e.getMessage(), e);
    }
  }

  private static BackupEngineOptions backupOptions(Path backups) {
    return new BackupEngineOptions(backups.toString()).setSync(true).setShareTableFiles(true);
  }

  /** The approximate number of bytes in the database's files. */
  public long sizeBytes() {
    return inUse(() -> open.rocks().getAggregatedLongProperty("rocksdb.live-sst-files-size"));
  }

  private <T> T inUse(Action<T> action) {
    life.readLock().lock();
    try {
      checkOpen();
      return action.run();
    } catch (RocksDBException e) {
      throw failure(directory, e);
    } catch (IOException e) {
      throw new StoreDamageException(
          "the store in " + directory + " is damaged: " + e.getMessage(), e);
    } finally {
      life.readLock().unlock();
    }
  }

  @Override
  public void close() {
    endCompactions();
    life.writeLock().lock();
    try {
      if (closed == null) {
        closed = "the store is closed";
        open.close();
        unsynced.close();
        compaction.close();
      }
    } finally {
      life.writeLock().unlock();
    }
  }

  /** They may take minutes, and are never needed. */
  private void endCompactions() {
    life.readLock().lock();
    try {
      if (closed == null) {
        compaction.setCanceled(true);
      }
    } finally {
      life.readLock().unlock();
    }
  }

  /** Visits one entry. */
  public interface Visitor<K, V> {
    void visit(K key, V value) throws IOException;
  }

  private interface Action<T> {
    T run() throws RocksDBException, IOException;
  }
}
