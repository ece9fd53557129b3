// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store;

import io.retroscope.blocks.NameTable;
import io.retroscope.blocks.zone.LongCounts;
import io.retroscope.event.EventBlock;
import io.retroscope.server.store.StoreState.ReadPoint;
import io.retroscope.server.store.disk.Database;
import io.retroscope.server.store.disk.StoreDamageException;
import io.retroscope.server.store.disk.StoreSchema;
import io.retroscope.server.store.zone.BlockZone;
import io.retroscope.server.store.zone.Damage;
import io.retroscope.server.store.zone.SealedParts;
import io.retroscope.server.store.zone.SummaryCodec;
import io.retroscope.server.store.zone.ZoneNames;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.LongStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the zone maps of all blocks when a store is opened. One that cannot be read, such as that
 * of an older program, is rebuilt from its block. Used by one thread.
 */
final class ZoneRecovery {
  private static final Logger logger = LoggerFactory.getLogger(ZoneRecovery.class);
  private static final int ZONES_PER_WRITE = 1_000;

  private final Database database;
  private final StoredBlocks blocks;
  private final Damage damage;
  private final ZoneNames shared;
  private final List<BlockZone> zones = new ArrayList<>();
  private long lastId;

  ZoneRecovery(Database database, StoredBlocks blocks, Damage damage, ZoneNames shared) {
    this.database = database;
    this.blocks = blocks;
    this.damage = damage;
    this.shared = shared;
  }

  /** The zone maps in the order of their ids. */
  List<BlockZone> zones() {
    // The ids of removed blocks are not used again.
    blocks.historyStart().ifPresent(start -> lastId = start.lastBlock());
    recover(false);
    recover(true);
    zones.sort(Comparator.comparingLong(BlockZone::id));
    return zones;
  }

  /** The highest id that was ever in use, as far as that is known. */
  long lastId() {
    return lastId;
  }

  private void recover(boolean sealed) {
    List<BlockZone> found = new ArrayList<>();
    List<Long> unreadable = new ArrayList<>();
    try {
      if (sealed) {
        database.forEach(
            StoreSchema.SUMMARIES, (id, bytes) -> readSummary(id, bytes, found, unreadable));
      } else {
        database.forEach(
            StoreSchema.ZONES,
            (id, stored) -> found.add(stored.zone()),
            (id, reason) -> unreadable.add(id));
      }
    } catch (StoreDamageException e) {
      logger.error("rebuilding zone maps from their blocks: {}", e.getMessage());
      long known = found.isEmpty() ? 0 : found.get(found.size() - 1).id();
      long last = database.lastKey(sealed ? StoreSchema.SEALED : StoreSchema.BLOCKS).orElse(0L);
      LongStream.rangeClosed(known + 1, last).forEach(unreadable::add);
    }
    found.forEach(this::add);
    unreadable.forEach(id -> lastId = Math.max(lastId, id));
    for (int from = 0; from < unreadable.size(); from += ZONES_PER_WRITE) {
      int to = Math.min(unreadable.size(), from + ZONES_PER_WRITE);
      renew(unreadable.subList(from, to), sealed).forEach(this::add);
    }
  }

  private void readSummary(long id, byte[] bytes, List<BlockZone> found, List<Long> unreadable) {
    try {
      found.add(SummaryCodec.decode(id, bytes, blocks.names().nodes()).zone());
    } catch (IOException e) {
      unreadable.add(id);
    }
  }

  private void add(BlockZone zone) {
    if (!blocks.isRemoved(zone.id())) {
      zones.add(shared.shared(zone));
      lastId = Math.max(lastId, zone.id());
    }
  }

  private List<BlockZone> renew(List<Long> ids, boolean sealed) {
    List<BlockZone> renewed = new ArrayList<>();
    try (Changes changes = new Changes(database)) {
      for (long id : ids) {
        try {
          blocks
              .read(id, sealed, new ReadPoint())
              .ifPresent(block -> renewed.add(renew(id, block, sealed, changes)));
        } catch (StoreDamageException e) {
          damage.addUnknownBlock(id, String.valueOf(e.getMessage()));
        }
      }
      if (!database.isReadOnly()) {
        changes.write();
      }
    }
    return renewed;
  }

  private BlockZone renew(long id, EventBlock block, boolean sealed, Changes changes) {
    if (!sealed) {
      BlockZone zone = BlockZone.of(id, block);
      changes.putZone(zone, block);
      return zone;
    }
    LongCounts counts = LongCounts.of(block);
    NameTable nodes = blocks.names().nodes();
    BlockZone zone = SealedParts.zoneOf(id, block, counts, nodes);
    long bytes = database.get(StoreSchema.SEALED, id).map(found -> found.length).orElse(0);
    changes.put(StoreSchema.SUMMARIES, id, SummaryCodec.encode(zone, block, counts, bytes, nodes));
    return zone;
  }
}
