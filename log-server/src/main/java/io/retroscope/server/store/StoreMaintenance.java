// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store;

import io.retroscope.blocks.NameTable;
import io.retroscope.blocks.StoreNames;
import io.retroscope.blocks.read.SealedBlockReader;
import io.retroscope.blocks.timeline.TimelineBins;
import io.retroscope.blocks.timeline.TimelineCodec;
import io.retroscope.blocks.zone.LongZone;
import io.retroscope.event.EventBlockCodec;
import io.retroscope.server.store.disk.DataDirectory;
import io.retroscope.server.store.disk.Database;
import io.retroscope.server.store.disk.Manifest;
import io.retroscope.server.store.disk.OpenRocks.Mode;
import io.retroscope.server.store.disk.Recovery;
import io.retroscope.server.store.disk.StoreDamageException;
import io.retroscope.server.store.disk.StoreException;
import io.retroscope.server.store.disk.StoreSchema;
import io.retroscope.server.store.disk.SyncedMarker;
import io.retroscope.server.store.disk.Table;
import io.retroscope.server.store.zone.SummaryCodec;
import io.retroscope.server.store.zone.ZoneWrites;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The operations on a store's data directory that an operator runs. Reading is possible while a
 * server uses the directory; changes are not.
 */
public final class StoreMaintenance {
  private static final String BACKUP_FORMAT = "FORMAT";

  private StoreMaintenance() {}

  /**
   * The result of a check.
   *
   * @param lines the parts that were read, one sentence each
   * @param problems the problems found, one sentence each; empty if there are none
   */
  public record Verdict(List<String> lines, List<String> problems) {
    /** Copies the lists. */
    public Verdict {
      lines = List.copyOf(lines);
      problems = List.copyOf(problems);
    }
  }

  /**
   * Reads everything in a store.
   *
   * @throws StoreException if there is no store, or it cannot be read for a reason other than
   *     damage
   */
  public static Verdict verify(Path directory) {
    DataDirectory.check(directory);
    List<String> lines = new ArrayList<>();
    List<String> problems = new ArrayList<>(DataDirectory.losses(directory));
    // Read before the database, which may grow meanwhile.
    long synced = SyncedMarker.read(directory).orElse(0);
    if (Manifest.endsWithinEntry(Database.path(directory))) {
      problems.add("the list of the database's files is cut off");
    }
    try (Database database = Database.open(directory, Mode.READ_ONLY)) {
      long found = database.sequence();
      if (found < synced) {
        problems.add(
            "the store ends at change %d, but changes up to %d were on disk"
                .formatted(found, synced));
      }
      StoreNames names = SealedNames.read(database).tables();
      for (Table<?, ?> table : StoreSchema.ALL) {
        lines.add(verify(database, table, names, problems));
      }
    } catch (StoreDamageException e) {
      problems.add(String.valueOf(e.getMessage()));
    }
    return new Verdict(lines, problems);
  }

  private static <K, V> String verify(
      Database database, Table<K, V> table, StoreNames names, List<String> problems) {
    long[] count = new long[1];
    try {
      database.forEach(
          table,
          (key, value) -> {
            count[0]++;
            if (value instanceof byte[] bytes && key instanceof Long id) {
              checkBlock(table, id, bytes, names, problems);
            }
          },
          (key, reason) -> problems.add(String.valueOf(reason.getMessage())));
    } catch (StoreDamageException e) {
      problems.add(table + ": " + e.getMessage());
    }
    return "%s: %d entries read".formatted(table, count[0]);
  }

  private static void checkBlock(
      Table<?, ?> table, long id, byte[] bytes, StoreNames names, List<String> problems) {
    try {
      if (table.equals(StoreSchema.BLOCKS)) {
        EventBlockCodec.decodeBlock(bytes);
      } else if (table.equals(StoreSchema.SEALED)) {
        SealedBlockReader.open(bytes, names).rows();
      } else if (table.equals(StoreSchema.SUMMARIES)) {
        ZoneWrites unusedWrites = SummaryCodec.decodeWrites(id, bytes, names.nodes());
        Optional<LongZone> unusedZone = SummaryCodec.decodeLongZone(bytes, names.nodes());
      } else if (table.equals(StoreSchema.TIMELINES)) {
        TimelineBins unusedBins = TimelineCodec.decode(bytes, names);
      }
    } catch (IOException e) {
      problems.add("block %s is damaged: %s".formatted(id, e.getMessage()));
    }
  }

  /**
   * The figures of a store, one line each.
   *
   * @throws StoreException if it cannot be read
   */
  public static List<String> stats(Path directory) {
    DataDirectory.check(directory);
    try (Database database = Database.open(directory, Mode.READ_ONLY)) {
      StoreTotals.Sum sum = new StoreTotals.Sum();
      database.forEach(
          StoreSchema.ZONES, (id, stored) -> sum.add(stored.zone()), (id, reason) -> {});
      NameTable nodes = SealedNames.read(database).nodes();
      database.forEach(
          StoreSchema.SUMMARIES,
          (id, bytes) -> {
            SummaryCodec.Summary summary = SummaryCodec.decode(id, bytes, nodes);
            sum.add(summary.zone());
            sum.addSealed(summary);
          });
      List<String> lines =
          new ArrayList<>(
              sum.totals(sizeBytes(Database.path(directory)), database.sequence()).lines());
      lines.addAll(sum.sealedLines());
      long[] alerts = new long[2];
      database.forEach(
          StoreSchema.ALERTS,
          (key, value) -> {
            alerts[0]++;
            alerts[1] += value.length;
          });
      if (alerts[0] > 0) {
        lines.add("alerts: %d records, %d bytes".formatted(alerts[0], alerts[1]));
      }
      return lines;
    }
  }

  /**
   * Rewrites the files of a store that no server uses, so that removed events occupy no space.
   *
   * @throws StoreException if that is not possible
   */
  public static void compact(Path directory) {
    try (Database database = openAlone(directory)) {
      database.compact();
    }
  }

  /**
   * Adds a backup of a store that no server uses to a folder of backups, which is created if it
   * does not exist.
   *
   * @throws StoreException if that is not possible
   */
  public static void backup(Path directory, Path backups) {
    try (Database database = openAlone(directory)) {
      database.backup(backups);
    }
    markBackups(backups);
  }

  /** Writes a description of its content into a folder of backups. */
  static void markBackups(Path backups) {
    try {
      DataDirectory.writeDurably(backups.resolve(BACKUP_FORMAT), StoreSchema.FORMAT + "\n");
    } catch (IOException e) {
      throw new StoreException("cannot write to " + backups + ": " + e.getMessage(), e);
    }
  }

  /**
   * Creates a store from the latest backup.
   *
   * @param directory empty, or created if it does not exist
   * @throws StoreException if that is not possible
   */
  public static void restore(Path backups, Path directory) {
    DataDirectory.check(backups);
    if (DataDirectory.isOccupied(directory)) {
      throw new StoreException(
          "directory "
              + directory
              + " is not empty: move what is there away, or restore to another directory");
    }
    DataDirectory.claim(directory);
    Database.restore(backups, directory);
    verifyOpens(directory);
  }

  private static void verifyOpens(Path directory) {
    openAlone(directory).close();
  }

  private static Database openAlone(Path directory) {
    DataDirectory.check(directory);
    return Recovery.openComplete(directory);
  }

  private static long sizeBytes(Path directory) {
    try (Stream<Path> files = Files.walk(directory)) {
      return files.filter(Files::isRegularFile).mapToLong(file -> file.toFile().length()).sum();
    } catch (IOException e) {
      throw new StoreException("cannot read " + directory + ": " + e.getMessage(), e);
    }
  }
}
