// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store.disk;

import io.retroscope.blocks.merge.EncodedBatch;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.DBOptions;
import org.rocksdb.LiveFileMetaData;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.SstFileReader;

/** An open RocksDB with the handles of the store's tables. */
public final class OpenRocks implements AutoCloseable {
  /** The ways to open a database. */
  public enum Mode {
    /** For writing; its log must be complete, except for a last record that was never synced. */
    STRICT,
    /** For writing; everything after the first damage in its log is dropped. */
    LENIENT,
    /** Without writing any byte, as on a full disk. */
    READ_ONLY
  }

  private static final int READ_ONLY_ATTEMPTS = 500;

  private final RocksSettings settings;
  private final Map<String, ColumnFamilyHandle> families = new HashMap<>();
  private final Mode mode;
  private final RocksDB rocks;

  OpenRocks(Path directory, Mode mode) throws RocksDBException {
    RocksDB.loadLibrary();
    this.mode = mode;
    settings = new RocksSettings(mode == Mode.READ_ONLY);
    try {
      List<ColumnFamilyHandle> handles = new ArrayList<>();
      List<Table<?, ?>> tables = mode == Mode.READ_ONLY ? existing(directory) : StoreSchema.ALL;
      DBOptions options = mode == Mode.LENIENT ? settings.lenient() : settings.strict();
      rocks =
          mode == Mode.READ_ONLY
              ? openReadOnly(options, directory, settings.families(tables), handles)
              : RocksDB.open(options, directory.toString(), settings.families(tables), handles);
      Iterator<ColumnFamilyHandle> handle = handles.iterator();
      tables.forEach(table -> families.put(table.family(), handle.next()));
    } catch (RocksDBException e) {
      settings.close();
      throw e;
    }
  }

  /**
   * Opens a database that another process may be writing. If that one replaces a file after the
   * list of files was read, and before the file is opened, the file seems to be missing.
   */
  private static RocksDB openReadOnly(
      DBOptions options,
      Path directory,
      List<ColumnFamilyDescriptor> families,
      List<ColumnFamilyHandle> handles)
      throws RocksDBException {
    for (int attempt = 1; ; attempt++) {
      Set<Path> before = files(directory);
      try {
        return RocksDB.openReadOnly(options, directory.toString(), families, handles);
      } catch (RocksDBException e) {
        if (attempt == READ_ONLY_ATTEMPTS || files(directory).equals(before)) {
          throw e;
        }
        handles.clear();
      }
    }
  }

  private static Set<Path> files(Path directory) {
    try (Stream<Path> files = Files.list(directory)) {
      return files.collect(Collectors.toSet());
    } catch (IOException e) {
      return Set.of(); // Opening the database reports it.
    }
  }

  /** The tables that a database has; one of an older program has fewer. */
  private static List<Table<?, ?>> existing(Path directory) throws RocksDBException {
    Set<String> names = new HashSet<>();
    try (Options options = new Options()) {
      for (byte[] name : RocksDB.listColumnFamilies(options, directory.toString())) {
        names.add(new String(name, StandardCharsets.UTF_8));
      }
    }
    return StoreSchema.ALL.stream()
        .filter(table -> names.isEmpty() || names.contains(table.family()))
        .toList();
  }

  /**
   * Reads the sorted files of some tables.
   *
   * @return the first damage of each table that has any
   */
  Map<Table<?, ?>, RocksDBException> damaged(List<Table<?, ?>> tables) {
    Map<Table<?, ?>, RocksDBException> damaged = new LinkedHashMap<>();
    for (LiveFileMetaData file : rocks.getLiveFilesMetaData()) {
      String family = new String(file.columnFamilyName(), StandardCharsets.UTF_8);
      for (Table<?, ?> table : tables) {
        if (table.family().equals(family)) {
          try {
            verify(file.path() + file.fileName());
          } catch (RocksDBException e) {
            if (isLive(file)) {
              damaged.putIfAbsent(table, e);
            }
          }
        }
      }
    }
    return damaged;
  }

  /** Whether a file is in use: a compaction may have replaced it while it was read. */
  private boolean isLive(LiveFileMetaData file) {
    return rocks.getLiveFilesMetaData().stream()
        .anyMatch(live -> live.fileName().equals(file.fileName()));
  }

  private static void verify(String file) throws RocksDBException {
    try (Options options = new Options();
        SstFileReader reader = new SstFileReader(options)) {
      reader.open(file);
      reader.verifyChecksum();
    }
  }

  /** Replaces a table by an empty one. */
  void clear(Table<?, ?> table) throws RocksDBException {
    try (ColumnFamilyHandle old = handle(table)) {
      rocks.dropColumnFamily(old);
    }
    ColumnFamilyDescriptor empty = settings.families(List.of(table)).get(0);
    families.put(table.family(), rocks.createColumnFamily(empty));
  }

  boolean has(Table<?, ?> table) {
    return families.containsKey(table.family());
  }

  RocksDB rocks() {
    return rocks;
  }

  boolean isReadOnly() {
    return mode == Mode.READ_ONLY;
  }

  ColumnFamilyHandle handle(Table<?, ?> table) {
    ColumnFamilyHandle handle = families.get(table.family());
    if (handle == null) {
      throw new AssertionError("no column family " + table);
    }
    return handle;
  }

  @Override
  public void close() {
    families.values().forEach(ColumnFamilyHandle::close);
    rocks.close();
    settings.close();
  }

  /** See {@link Database#getAll}. */
  <K> Map<K, byte[]> getAll(Table<K, byte[]> table, List<K> ordered) {
    Map<K, byte[]> found = new HashMap<>();
    try (RocksIterator iterator = rocks().newIterator(handle(table))) {
      for (K key : ordered) {
        byte[] bytes = table.keyBytes(key);
        if (!iterator.isValid() || !Arrays.equals(iterator.key(), bytes)) {
          iterator.seek(bytes);
        }
        if (iterator.isValid() && Arrays.equals(iterator.key(), bytes)) {
          found.put(key, iterator.value());
          iterator.next();
        }
      }
    }
    return found;
  }

  /** See {@link Database#read}. */
  void read(Table<Long, byte[]> table, long[] ascending, EncodedBatch to) {
    try (RocksIterator iterator = rocks().newIterator(handle(table))) {
      KeySteps steps = new KeySteps(iterator);
      for (int i = 0; i < ascending.length; i++) {
        if (to.block(i) == null && steps.moveTo(ascending[i])) {
          read(iterator, i, to);
        }
      }
    }
  }

  private static void read(RocksIterator at, int index, EncodedBatch to) {
    int length = at.value(to.array(), to.position(), to.room());
    if (length > to.room()) {
      if (!to.reserve(length)) {
        return;
      }
      length = at.value(to.array(), to.position(), to.room());
    }
    to.end(index, length);
  }

  /** Moves an iterator to ascending keys. */
  private static final class KeySteps {
    /** The number of other keys from which on a search is faster than a step to each. */
    private static final int MAX_STEPS = 8;

    private final RocksIterator iterator;
    private final byte[] bytes = new byte[Long.BYTES];
    private final ByteBuffer key = ByteBuffer.wrap(bytes);
    private long now = -1;

    KeySteps(RocksIterator iterator) {
      this.iterator = iterator;
    }

    /** Returns whether there is such a key. */
    boolean moveTo(long wanted) {
      for (int step = 0; step < MAX_STEPS && now >= 0 && now < wanted; step++) {
        iterator.next();
        look();
      }
      if (now < wanted) {
        key.putLong(0, wanted);
        iterator.seek(bytes);
        look();
      }
      return now == wanted;
    }

    private void look() {
      boolean has = iterator.isValid() && iterator.key(bytes) == bytes.length;
      now = has ? key.getLong(0) : Long.MAX_VALUE;
    }
  }
}
