// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.retroscope.server.store.disk.OpenRocks.Mode;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.RocksDBException;
import org.rocksdb.WriteBatch;

/** Tests that a database is opened again only while nothing uses it. */
@Timeout(60)
class DatabaseTest {
  @TempDir Path folder;

  /** As while a backup is made, which takes minutes. */
  @Test
  void reopen_databaseIsInUse_saysSoAndCanBeRepeated() throws RocksDBException {
    try (Database database = Database.open(folder, Mode.STRICT);
        WriteBatch batch = new WriteBatch()) {
      byte[] key = StoreSchema.ALERTS.keyBytes("a");
      batch.put(database.handle(StoreSchema.ALERTS), key, new byte[1]);
      database.write(batch);
      int[] seen = new int[1];
      database.forEach(
          StoreSchema.ALERTS,
          (name, value) -> {
            seen[0]++;
            assertThatThrownBy(database::reopen)
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("once its backup, compaction or long read has ended");
          });
      assertThat(seen).containsExactly(1);
      database.reopen();
      assertThat(database.get(StoreSchema.ALERTS, "a")).isPresent();
    }
  }

  /** Freeing the space of removed events may take minutes, and a server must end at once. */
  @Test
  void close_spaceIsBeingFreed_endsThat() throws Exception {
    Database database = Database.open(folder, Mode.STRICT);
    try (WriteBatch batch = new WriteBatch()) {
      batch.put(database.handle(StoreSchema.BLOCKS), StoreSchema.BLOCKS.keyBytes(1L), new byte[1]);
      database.write(batch);
    }
    Thread closing = new Thread(database::close);
    database.forEach(
        StoreSchema.BLOCKS,
        (id, value) -> {
          database.freeThrough(1);
          closing.start();
          await().until(() -> closing.getState() == Thread.State.WAITING);
          assertThatThrownBy(() -> database.freeThrough(1))
              .isInstanceOf(StoreException.class)
              .hasMessage("the store is closing");
        });
    closing.join();
    assertThat(database.isReadable()).isFalse();
  }

  @Test
  void handle_closedDatabase_fails() {
    Database database = Database.open(folder, Mode.STRICT);
    database.close();
    assertThatThrownBy(() -> database.handle(StoreSchema.ALERTS))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("is closed");
    assertThatThrownBy(database::reopen).isInstanceOf(StoreException.class);
  }
}
