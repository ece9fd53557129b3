package io.retroscope.server.store;

import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBlockCodec;
import io.retroscope.event.LostBlocks;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.rocksdb.RocksDBException;
import org.rocksdb.WriteBatch;

/** One atomic change of the store, as it is put together; used by the writing thread. */
final class Changes implements AutoCloseable {
  private final Database database;
  private final WriteBatch batch = new WriteBatch();
  private final List<NewBlock> blocks = new ArrayList<>();
  private final List<LostBlocks> lost = new ArrayList<>();
  private final Map<Incarnation.Name, Incarnation> incarnations = new HashMap<>();
  private final Map<BlockNumber, byte[]> numbers = new HashMap<>();
  private final List<Heard> sightings = new ArrayList<>();
  private final Map<String, SourcePosition> positions = new HashMap<>();
  private long quarantinedCount;

  /** A block of a node's own numbering. */
  record BlockNumber(Incarnation.Name incarnation, long number) {}

  /** A node was heard from; see {@link Lifetimes#touch}. */
  record Heard(String node, long hlc, long promiseMicros) {}

  record NewBlock(BlockZone zone, EventBlock block, int encodedBytes) {}

  Changes(Database database) {
    this.database = database;
  }

  void addBlock(long id, EventBlock block, byte[] bytes) {
    BlockZone zone = BlockZone.of(id, block);
    put(Database.Family.BLOCKS, StoreKeys.id(id), bytes);
    putZone(zone);
    blocks.add(new NewBlock(zone, block, bytes.length));
  }

  void putZone(BlockZone zone) {
    put(Database.Family.ZONES, StoreKeys.id(zone.id()), ZoneCodec.encode(zone));
  }

  void quarantine(long id, EventBlock block) {
    put(Database.Family.QUARANTINE, StoreKeys.id(id), EventBlockCodec.encode(block));
    quarantinedCount += block.size();
  }

  void addLost(LostBlocks frame, byte[] key, byte[] bytes) {
    put(Database.Family.LOST, key, bytes);
    lost.add(frame);
  }

  /** The incarnation's state that this change works on. */
  Incarnation incarnation(Incarnation.Name name, Map<Incarnation.Name, Incarnation> published) {
    return incarnations.computeIfAbsent(
        name,
        missing -> {
          Incarnation old = published.get(missing);
          return old == null ? new Incarnation(missing) : old.copy();
        });
  }

  /** A node was heard from, beside its events; see {@link Lifetimes#touch}. */
  void sighted(String node, long hlc, long promiseMicros) {
    sightings.add(new Heard(node, hlc, promiseMicros));
  }

  /** A source was read up to there; a later position takes the place of an earlier one. */
  void reached(SourcePosition position) {
    positions.put(position.source(), position);
  }

  void putPositions() {
    for (SourcePosition position : positions.values()) {
      put(
          Database.Family.META,
          StoreKeys.position(position.source()),
          StoreKeys.position(position));
    }
  }

  void putIncarnations() {
    for (Incarnation incarnation : incarnations.values()) {
      ByteArrayOutputStream bytes = new ByteArrayOutputStream(64);
      try (DataOutputStream out = new DataOutputStream(bytes)) {
        incarnation.write(out);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      put(
          Database.Family.INCARNATIONS,
          StoreKeys.incarnation(incarnation.name()),
          bytes.toByteArray());
    }
  }

  void put(Database.Family family, byte[] key, byte[] value) {
    try {
      batch.put(database.handle(family), key, value);
    } catch (RocksDBException e) {
      throw new StoreException("cannot gather a change: " + e.getMessage(), e);
    }
  }

  void delete(Database.Family family, byte[] key) {
    try {
      batch.delete(database.handle(family), key);
    } catch (RocksDBException e) {
      throw new StoreException("cannot gather a change: " + e.getMessage(), e);
    }
  }

  void write() {
    if (batch.count() > 0) {
      database.write(batch);
    }
  }

  List<NewBlock> blocks() {
    return blocks;
  }

  List<LostBlocks> lost() {
    return lost;
  }

  Map<Incarnation.Name, Incarnation> incarnations() {
    return incarnations;
  }

  /** The numbers that this change stores, with the checksums of their blocks. */
  Map<BlockNumber, byte[]> numbers() {
    return numbers;
  }

  /** When nodes were heard from, beside their events. */
  List<Heard> sightings() {
    return sightings;
  }

  /** How far sources have been read, by their names. */
  Map<String, SourcePosition> positions() {
    return positions;
  }

  /** Whether it holds what an acknowledgement promises to keep. */
  boolean isDurable() {
    return !blocks.isEmpty() || !lost.isEmpty() || quarantinedCount > 0;
  }

  long quarantinedCount() {
    return quarantinedCount;
  }

  @Override
  public void close() {
    batch.close();
  }
}
