// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store.disk;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Properties;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.Cache;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.CompressionType;
import org.rocksdb.DBOptions;
import org.rocksdb.InfoLogLevel;
import org.rocksdb.LRUCache;
import org.rocksdb.RocksObject;
import org.rocksdb.WALRecoveryMode;
import org.rocksdb.WriteBufferManager;

/** RocksDB's options for the store; owns the native objects that they require. */
public final class RocksSettings implements AutoCloseable {
  /** The memory for cached blocks and write buffers of all stores in the process. */
  private static final long NATIVE_BYTES = 160L << 20;

  /** The memory for cached blocks of a database that is only read. */
  private static final long READER_BYTES = 8L << 20;

  /** The memory for write buffers of all stores in the process; excess data is flushed to files. */
  private static final long ALL_BUFFERS_BYTES = 128L << 20;

  private static final long WRITE_BUFFER_BYTES = 32L << 20;
  private static final long MAX_LOG_BYTES = 256L << 20;

  /**
   * The free space on a disk that was full with which storing is certain to work again: RocksDB
   * waits for the size of a write buffer, and a flush needs as much again.
   */
  public static final long FREE_BYTES = 2 * WRITE_BUFFER_BYTES;

  /** The free space on a disk that was full with which it is worth trying to store again. */
  static final long LEAST_FREE_BYTES = WRITE_BUFFER_BYTES;

  /**
   * Records in each log file its predecessor and how that one ends, so that a missing or truncated
   * log is detected. RocksJava has no setter for it.
   */
  private static final String TRACK_LOGS = "track_and_verify_wals";

  private final List<RocksObject> owned = new ArrayList<>();
  private final Cache cache;

  /**
   * The objects that all stores of the process share; created with the first store, and never
   * closed.
   */
  private static final class Shared {
    static final Cache CACHE = new LRUCache(NATIVE_BYTES);
    static final WriteBufferManager BUFFERS = new WriteBufferManager(ALL_BUFFERS_BYTES, CACHE);

    private Shared() {}
  }

  /**
   * The options of one database.
   *
   * @param readOnly whether only to read: a check of the files must not find blocks in the shared
   *     cache that another opening of the same database put there
   */
  public RocksSettings(boolean readOnly) {
    cache = readOnly ? own(new LRUCache(READER_BYTES)) : Shared.CACHE;
  }

  /** The options of tables, in the same order. */
  List<ColumnFamilyDescriptor> families(List<Table<?, ?>> tables) {
    List<ColumnFamilyDescriptor> families = new ArrayList<>();
    for (Table<?, ?> table : tables) {
      byte[] name = table.family().getBytes(StandardCharsets.UTF_8);
      families.add(new ColumnFamilyDescriptor(name, family()));
    }
    return families;
  }

  private ColumnFamilyOptions family() {
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

  /** Options that require a complete log, except for a last record that was never synced. */
  public DBOptions strict() {
    Properties tracking = new Properties();
    tracking.setProperty(TRACK_LOGS, "true");
    DBOptions options = DBOptions.getDBOptionsFromProps(tracking);
    if (options == null) {
      throw new AssertionError("this RocksDB does not know " + TRACK_LOGS);
    }
    return common(own(options)).setWalRecoveryMode(WALRecoveryMode.TolerateCorruptedTailRecords);
  }

  /** Options that accept everything before the first damage in the log. */
  DBOptions lenient() {
    return common(own(new DBOptions())).setWalRecoveryMode(WALRecoveryMode.PointInTimeRecovery);
  }

  private static DBOptions common(DBOptions options) {
    return options
        .setCreateIfMissing(true)
        .setCreateMissingColumnFamilies(true)
        .setMaxTotalWalSize(MAX_LOG_BYTES)
        .setWriteBufferManager(Shared.BUFFERS)
        .setInfoLogLevel(InfoLogLevel.WARN_LEVEL)
        .setKeepLogFileNum(2)
        .setMaxBackgroundJobs(2);
  }

  private <T extends RocksObject> T own(T object) {
    owned.add(object);
    return object;
  }

  @Override
  public void close() {
    Collections.reverse(owned);
    owned.forEach(RocksObject::close);
    owned.clear();
  }
}
