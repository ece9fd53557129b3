// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store.disk;

import io.retroscope.clock.PhysicalClock;
import io.retroscope.server.store.disk.OpenRocks.Mode;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.OptionalLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens a store's database and refuses one that has lost acknowledged data, unless the operator
 * decides to continue without it. Such a loss is recorded and reported with every answer.
 */
public final class Recovery {
  private static final Logger logger = LoggerFactory.getLogger(Recovery.class);
  private static final String ADVICE =
      ": restore a backup (\"retroscope store restore\"), or start with --recover to continue"
          + " without what is lost";

  private final Path directory;
  private final OptionalLong synced;

  private Recovery(Path directory, OptionalLong synced) {
    this.directory = directory;
    this.synced = synced;
  }

  /**
   * Opens the database of a data directory, which is created if it does not exist.
   *
   * @param recover whether to continue without the lost data
   * @throws StoreException if that is not possible; the message says how to continue
   */
  public static Database open(Path directory, boolean recover, PhysicalClock clock) {
    DataDirectory.claim(directory);
    Recovery recovery = new Recovery(directory, SyncedMarker.read(directory));
    try {
      return recovery.openComplete();
    } catch (StoreDamageException e) {
      if (!recover) {
        throw new StoreDamageException(e.getMessage() + ADVICE, e);
      }
      return recovery.openRest(clock);
    }
  }

  /**
   * Opens the database of a data directory if it contains all acknowledged data.
   *
   * @throws StoreDamageException if it does not
   */
  public static Database openComplete(Path directory) {
    return new Recovery(directory, SyncedMarker.read(directory)).openComplete();
  }

  public Database openComplete() {
    long expected = synced.orElse(0);
    if (synced.isEmpty() && Database.exists(directory)) {
      logger.warn(
          "{} has no valid {}: whether the store has lost data cannot be checked",
          directory,
          SyncedMarker.FILE);
    }
    if (expected > 0 && !Database.exists(directory)) {
      throw StoreDamageException.lost(directory, 0, expected);
    }
    if (Manifest.endsWithinEntry(Database.path(directory))) {
      throw new StoreDamageException(
          "the store in " + directory + " is damaged: the list of its files is cut off");
    }
    Database database = openWritable();
    long found = database.sequence();
    if (found < expected) {
      database.close();
      throw StoreDamageException.lost(directory, found, expected);
    }
    return upgraded(database);
  }

  private Database upgraded(Database database) {
    try {
      checkRecords(database);
      if (!database.isReadOnly()) {
        DataDirectory.upgrade(directory);
      }
      return database;
    } catch (StoreException e) {
      database.close();
      throw e;
    }
  }

  /**
   * Refuses a damaged table of records, because a later read would fail again and again. The
   * checksums of blocks are not needed: a block that is sent again is compared with the stored
   * events.
   */
  private void checkRecords(Database database) {
    database
        .damaged(StoreSchema.OF_RECORDS)
        .forEach(
            (table, reason) -> {
              if (!table.equals(StoreSchema.NUMBERS) || database.isReadOnly()) {
                throw new StoreException(
                    "the store in %s is damaged: its table \"%s\" cannot be read (%s): restore a backup (\"retroscope store restore\")"
                        .formatted(directory, table, reason.getMessage()),
                    reason);
              }
              logger.warn(
                  "the table \"{}\" was damaged and begins anew: blocks that are sent again are"
                      + " compared with the stored events ({})",
                  table,
                  reason.getMessage());
              database.clear(table);
            });
  }

  /** Opens a database for writing, or on a full disk at least for reading. */
  private Database openWritable() {
    try {
      return Database.open(directory, Mode.STRICT);
    } catch (FullDiskException e) {
      if (!Database.exists(directory)) {
        throw e;
      }
      logger.error("{}; until then the store is read only", e.getMessage());
      return Database.openFull(directory, e);
    }
  }

  private Database openRest(PhysicalClock clock) {
    Database database = Database.open(directory, Mode.LENIENT);
    long found = database.sequence();
    String now =
        Instant.EPOCH
            .plus(clock.micros(), ChronoUnit.MICROS)
            .truncatedTo(ChronoUnit.SECONDS)
            .toString();
    String loss =
        synced.isPresent() && synced.getAsLong() > found
            ? "events stored before %s are lost: of the store's changes up to %d, those after %d were damaged and dropped by a start with --recover"
                .formatted(now, synced.getAsLong(), found)
            : "events stored before %s may be lost: the store's log was damaged after change %d and dropped from there by a start with --recover"
                .formatted(now, found);
    logger.error("{}", loss);
    DataDirectory.addLoss(directory, loss);
    try (SyncedMarker marker = SyncedMarker.open(directory)) {
      marker.write(found);
    }
    return upgraded(database);
  }
}
