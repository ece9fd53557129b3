// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store;

import static io.retroscope.server.store.StoreFixture.hlc;
import static io.retroscope.server.store.StoreFixture.lines;
import static io.retroscope.server.store.StoreFixture.set;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.EventSource.View;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.server.store.StoreMaintenance.Verdict;
import io.retroscope.server.store.disk.StoreException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class StoreMaintenanceTest {
  @TempDir Path folder;

  @Test
  void verify_whileAServerUsesIt_readsEverything() {
    try (EventStore store = StoreFixture.open(folder.resolve("data"))) {
      append(store, 1, 2, 3);

      Verdict verdict = StoreMaintenance.verify(folder.resolve("data"));
      assertThat(verdict.problems()).isEmpty();
      assertThat(verdict.lines()).contains("blocks: 3 entries read", "zones: 3 entries read");
    }
  }

  @Test
  void verify_whileFilesAreReplaced_findsNoDamage() throws Exception {
    Path data = folder.resolve("data");
    try (EventStore store = StoreFixture.open(data)) {
      append(store, 1);
      AtomicBoolean verified = new AtomicBoolean();
      FutureTask<Integer> replacing =
          new FutureTask<>(
              () -> {
                int count = 1;
                while (!verified.get()) {
                  append(store, ++count);
                  store.compact();
                  TimeUnit.MILLISECONDS.sleep(100); // An open must fit between, also under load.
                }
                return count;
              });
      new Thread(replacing, "replacing").start();
      try {
        for (int i = 0; i < 60; i++) {
          assertThat(StoreMaintenance.verify(data).problems()).isEmpty();
        }
      } finally {
        verified.set(true);
      }
      assertThat(replacing.get()).isGreaterThan(1);
    }
  }

  @Test
  void verify_aChangedByteInASortedFile_isNamed() throws IOException {
    Path data = folder.resolve("data");
    try (EventStore store = StoreFixture.open(data)) {
      append(store, 1, 2, 3);
    }
    StoreFixture.open(data).close();
    try (Stream<Path> files = Files.list(data.resolve("db"));
        RandomAccessFile file =
            new RandomAccessFile(
                files
                    .filter(path -> path.toString().endsWith(".sst"))
                    .max(Comparator.comparing(path -> path.toFile().length()))
                    .orElseThrow()
                    .toFile(),
                "rw")) {
      file.seek(10);
      int old = file.read();
      file.seek(10);
      file.write(old ^ 4);
    }

    assertThat(StoreMaintenance.verify(data).problems())
        .isNotEmpty()
        .allMatch(problem -> problem.contains("damaged"));
  }

  @Test
  void verify_missingLog_isReported() throws IOException {
    Path data = folder.resolve("data");
    try (EventStore store = StoreFixture.open(data)) {
      append(store, 1, 2, 3);
    }
    try (Stream<Path> files = Files.list(data.resolve("db"))) {
      for (Path log : files.filter(path -> path.toString().endsWith(".log")).toList()) {
        Files.delete(log);
      }
    }

    assertThat(StoreMaintenance.verify(data).problems())
        .anyMatch(problem -> problem.contains("is damaged") && problem.contains("no WAL files"));
  }

  @Test
  void stats_ofAStore_countsAndDelimits() {
    try (EventStore store = StoreFixture.open(folder.resolve("data"))) {
      append(store, 1, 2, 3);

      assertThat(StoreMaintenance.stats(folder.resolve("data")))
          .contains("blocks: 3", "events: 3", "nodes: 1")
          .anyMatch(line -> line.startsWith("firstHlc: "));
    }
  }

  @Test
  void verifyAndStats_recordsOfAlerts_areCounted() {
    Path data = folder.resolve("data");
    try (EventStore store = StoreFixture.open(data)) {
      assertThat(StoreMaintenance.stats(data)).noneMatch(line -> line.startsWith("alerts"));
      store.putAlerts(
          Map.of("rule/far", Optional.of(new byte[5]), "edge/far/1", Optional.of(new byte[7])));

      assertThat(StoreMaintenance.verify(data).lines()).contains("alerts: 2 entries read");
      assertThat(StoreMaintenance.stats(data)).contains("alerts: 2 records, 12 bytes");
    }
  }

  @Test
  void restore_backupMadeWhileEventsArrived_hasWhatWasThereThen() {
    Path backups = folder.resolve("backups");
    try (EventStore store = StoreFixture.open(folder.resolve("data"))) {
      append(store, 1, 2);
      store.backup(backups);
      append(store, 3);
      store.backup(backups);
      append(store, 4);
    }
    StoreMaintenance.restore(backups, folder.resolve("copy"));

    try (EventStore store = StoreFixture.open(folder.resolve("copy"))) {
      assertThat(stamps(store)).containsExactly(hlc(1), hlc(2), hlc(3));
      append(store, 3, 4);
      assertThat(stamps(store)).containsExactly(hlc(1), hlc(2), hlc(3), hlc(4));
    }
  }

  @Test
  void restore_intoADirectoryInUse_isRefusedUntouched() {
    Path data = folder.resolve("data");
    try (EventStore store = StoreFixture.open(data)) {
      append(store, 1);
    }
    StoreMaintenance.backup(data, folder.resolve("backups"));

    assertThatThrownBy(() -> StoreMaintenance.restore(folder.resolve("backups"), data))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("is not empty");
    try (EventStore store = StoreFixture.open(data)) {
      assertThat(stamps(store)).containsExactly(hlc(1));
    }
  }

  @Test
  void compact_aStoreInUse_isRefused() {
    Path data = folder.resolve("data");
    try (EventStore store = StoreFixture.open(data)) {
      append(store, 1);
      assertThatThrownBy(() -> StoreMaintenance.compact(data))
          .hasMessageContaining("in use by another log server");
      store.compact();
      assertThat(stamps(store)).containsExactly(hlc(1));
    }
    StoreMaintenance.compact(data);
    assertThat(StoreMaintenance.verify(data).problems()).isEmpty();
  }

  @Test
  void verify_noStore_isRefused() {
    assertThatThrownBy(() -> StoreMaintenance.verify(folder))
        .hasMessageContaining("contains no Retroscope store");
  }

  private static void append(EventStore store, long... micros) {
    for (long each : micros) {
      store.append(lines(set("a", "l", hlc(each), "x", each))).join();
    }
  }

  private static List<Long> stamps(EventStore store) {
    try (View view = store.open(ClockOffsets.UNKNOWN)) {
      List<Long> stamps = new ArrayList<>();
      view.scan(Set.of("l"), HlcRange.ALL).forEachRemaining(event -> stamps.add(event.hlc()));
      return stamps;
    }
  }
}
