// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store.disk;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.BlockFrame;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBlockCodec;
import io.retroscope.event.LostBlocks;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.Incompleteness;
import io.retroscope.rql.json.IncompletenessJson;
import io.retroscope.server.store.disk.Table.KeyCodec;
import io.retroscope.server.store.disk.Table.ValueCodec;
import io.retroscope.server.store.run.Incarnation;
import io.retroscope.server.store.run.Lifetimes;
import io.retroscope.server.store.run.StoreConflictException;
import io.retroscope.server.store.zone.StoredZone;
import io.retroscope.server.store.zone.SummaryCodec;
import io.retroscope.server.store.zone.ZoneCodec;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.List;

/**
 * The tables of a store, which are the whole content of its database. {@code docs/format/store.md}
 * describes the same for readers. Numbers in keys are 8 bytes, big-endian; stamps are in their wire
 * form, whose bytes sort as the stamps do; a text in a key is its length in 2 bytes and its UTF-8.
 */
public final class StoreSchema {
  /** The version of everything in a data directory; other versions are refused. */
  public static final String FORMAT = "retroscope store 2";

  /** The version without sealed blocks, which becomes the present one when a store is opened. */
  static final String FORMAT_WITHOUT_SEALED = "retroscope store 1";

  /** The largest number that fits into two bytes. */
  private static final int MAX_TEXT_BYTES = (1 << Short.SIZE) - 1;

  private static final int CHECKSUM_BYTES = 16;

  /**
   * The blocks as they were sent, or as the server created them; ids ascend in order of arrival.
   */
  public static final Table<Long, byte[]> BLOCKS = table("blocks", ids(), bytes());

  /** The zone map of each block. */
  public static final Table<Long, StoredZone> ZONES = table("zones", ids(), zones());

  /**
   * The checksums of the latest stored blocks, by node, incarnation and block number; which others
   * are stored is in {@link #INCARNATIONS}.
   */
  public static final Table<BlockNumber, byte[]> NUMBERS =
      table("numbers", blockNumbers(), bytes());

  /** The blocks that senders declared lost. */
  public static final Table<LostRange, LostBlocks> LOST = table("lost", lostRanges(), lostBlocks());

  /** The stored state of every run of every node. */
  public static final Table<Incarnation.Name, Incarnation> INCARNATIONS =
      table("incarnations", incarnationNames(), incarnations());

  /** The ranges of stamps in which a node was never silent for long, by their first stamps. */
  public static final Table<LifetimeStart, Lifetimes.Lifetime> LIFETIMES =
      table("lifetimes", lifetimeStarts(), lifetimes());

  /**
   * Events with stamps too far in the future; their ids come from the same sequence as those of
   * blocks.
   */
  public static final Table<Long, EventBlock> QUARANTINE = table("quarantine", ids(), blocks());

  /** The positions up to which sources have been read, by the sources' names. */
  public static final Table<String, SourcePosition> POSITIONS =
      table("default", names(), positions());

  /**
   * The sealed blocks; each has the id of one of the blocks that it and its neighbours replaced.
   */
  public static final Table<Long, byte[]> SEALED = table("sealed", ids(), bytes());

  /** The zone map and the writes of each sealed block; see {@link SummaryCodec}. */
  public static final Table<Long, byte[]> SUMMARIES = table("summaries", ids(), bytes());

  /** The {@link io.retroscope.blocks.timeline.TimelineBins} of each sealed block. */
  public static final Table<Long, byte[]> TIMELINES = table("timelines", ids(), bytes());

  /** The names that sealed blocks and their summaries refer to by id. */
  public static final Table<NameId, String> NAMES = table("names", nameIds(), texts());

  /** The reasons that inputs stated why their events may be incomplete, by their digests. */
  public static final Table<String, Incompleteness> REASONS = table("reasons", names(), reasons());

  /** The records about alerts, which {@code server.alert} writes and reads. */
  public static final Table<String, byte[]> ALERTS = table("alerts", names(), bytes());

  /** The tables of blocks that arrived, from which sealing removes entries by the blocks' ids. */
  public static final List<Table<Long, ?>> OF_ARRIVALS = List.of(BLOCKS, ZONES);

  /** The tables of blocks, from which retention removes entries by the blocks' ids. */
  public static final List<Table<Long, ?>> OF_BLOCKS =
      List.of(BLOCKS, ZONES, SEALED, SUMMARIES, TIMELINES);

  /**
   * The tables whose damage would be noticed only when an entry is needed. The entries of all other
   * tables are read around the damage, or rebuilt from the blocks.
   */
  static final List<Table<?, ?>> OF_RECORDS =
      List.of(
          POSITIONS, NUMBERS, LOST, INCARNATIONS, LIFETIMES, QUARANTINE, NAMES, REASONS, ALERTS);

  /** All tables; RocksDB requires its default family to be first. */
  public static final List<Table<?, ?>> ALL =
      List.of(
          POSITIONS,
          BLOCKS,
          ZONES,
          NUMBERS,
          LOST,
          INCARNATIONS,
          LIFETIMES,
          QUARANTINE,
          SEALED,
          SUMMARIES,
          NAMES,
          TIMELINES,
          REASONS,
          ALERTS);

  private StoreSchema() {}

  /** The identity of a block that a node numbered. */
  public record BlockNumber(Incarnation.Name incarnation, long number) {}

  /** Consecutive blocks that were declared lost together. */
  public record LostRange(Incarnation.Name incarnation, long firstNumber, long lastNumber) {
    public static LostRange of(LostBlocks lost) {
      return new LostRange(
          new Incarnation.Name(lost.node(), lost.incarnation()),
          lost.firstNumber(),
          lost.lastNumber());
    }

    /** Whether a block is one of these. */
    public boolean holds(EventBlock block) {
      return firstNumber <= block.number()
          && block.number() <= lastNumber
          && incarnation.node().equals(block.node())
          && incarnation.incarnation().equals(block.incarnation());
    }
  }

  /** The begin of a lifetime of a node. */
  public record LifetimeStart(String node, long hlc) {}

  /** The identity of a name: its kind, and its index among those of the kind. */
  public record NameId(int kind, int id) {
    public static final int NODE = 0;
    public static final int VARIABLE = 1;
  }

  /** A digest that distinguishes the contents of blocks. */
  public static byte[] checksum(byte[] content) {
    try {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(content);
      return Arrays.copyOf(digest, CHECKSUM_BYTES);
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every Java has SHA-256", e);
    }
  }

  private static <K, V> Table<K, V> table(
      String family, KeyCodec<K> keys, ValueCodec<K, V> values) {
    return new Table<>(family, keys, values);
  }

  private static KeyCodec<Long> ids() {
    return new KeyCodec<>(StoreSchema::number, ByteBuffer::getLong);
  }

  private static KeyCodec<String> names() {
    return new KeyCodec<>(
        name -> name.getBytes(StandardCharsets.UTF_8),
        in -> StandardCharsets.UTF_8.decode(in).toString());
  }

  private static KeyCodec<NameId> nameIds() {
    return new KeyCodec<>(
        key ->
            ByteBuffer.allocate(1 + Integer.BYTES).put((byte) key.kind()).putInt(key.id()).array(),
        in -> new NameId(in.get(), in.getInt()));
  }

  private static ValueCodec<NameId, String> texts() {
    return new ValueCodec<>(
        text -> text.getBytes(StandardCharsets.UTF_8),
        (key, bytes) -> new String(bytes, StandardCharsets.UTF_8));
  }

  private static KeyCodec<Incarnation.Name> incarnationNames() {
    return new KeyCodec<>(
        name -> texts(0, name.node(), name.incarnation()).array(), StoreSchema::name);
  }

  private static KeyCodec<BlockNumber> blockNumbers() {
    return new KeyCodec<>(
        key ->
            texts(Long.BYTES, key.incarnation().node(), key.incarnation().incarnation())
                .putLong(key.number())
                .array(),
        in -> new BlockNumber(name(in), in.getLong()));
  }

  private static KeyCodec<LostRange> lostRanges() {
    return new KeyCodec<>(
        key ->
            texts(2 * Long.BYTES, key.incarnation().node(), key.incarnation().incarnation())
                .putLong(key.firstNumber())
                .putLong(key.lastNumber())
                .array(),
        in -> new LostRange(name(in), in.getLong(), in.getLong()));
  }

  private static KeyCodec<LifetimeStart> lifetimeStarts() {
    return new KeyCodec<>(
        key -> texts(Long.BYTES, key.node()).putLong(HlcTimestamp.toWire(key.hlc())).array(),
        in -> new LifetimeStart(text(in), HlcTimestamp.fromWire(in.getLong())));
  }

  private static ValueCodec<Long, StoredZone> zones() {
    return new ValueCodec<>(ZoneCodec::encode, ZoneCodec::decode);
  }

  private static <K> ValueCodec<K, byte[]> bytes() {
    return new ValueCodec<>(bytes -> bytes, (key, bytes) -> bytes);
  }

  private static ValueCodec<Long, EventBlock> blocks() {
    return new ValueCodec<>(
        EventBlockCodec::encode, (id, bytes) -> EventBlockCodec.decodeBlock(bytes));
  }

  private static ValueCodec<String, Incompleteness> reasons() {
    return new ValueCodec<>(
        reason -> IncompletenessJson.text(reason).getBytes(StandardCharsets.UTF_8),
        (digest, bytes) -> IncompletenessJson.read(new String(bytes, StandardCharsets.UTF_8)));
  }

  private static ValueCodec<LostRange, LostBlocks> lostBlocks() {
    return new ValueCodec<>(
        EventBlockCodec::encode,
        (key, bytes) -> {
          List<BlockFrame> frames = EventBlockCodec.decodeAll(bytes);
          if (frames.size() == 1 && frames.get(0) instanceof LostBlocks lost) {
            return lost;
          }
          throw new IOException("not a notice of lost blocks");
        });
  }

  private static ValueCodec<Incarnation.Name, Incarnation> incarnations() {
    return new ValueCodec<>(
        incarnation -> {
          ByteArrayOutputStream bytes = new ByteArrayOutputStream(64);
          try (DataOutputStream out = new DataOutputStream(bytes)) {
            incarnation.write(out);
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
          return bytes.toByteArray();
        },
        (name, bytes) ->
            Incarnation.read(name, new DataInputStream(new ByteArrayInputStream(bytes))));
  }

  /** The promise is omitted if the node made none, and by older programs. */
  private static ValueCodec<LifetimeStart, Lifetimes.Lifetime> lifetimes() {
    return new ValueCodec<>(
        lifetime -> {
          long promise = lifetime.promiseMicros();
          ByteBuffer out = ByteBuffer.allocate(promise > 0 ? 2 * Long.BYTES : Long.BYTES);
          out.putLong(HlcTimestamp.toWire(lifetime.range().to()));
          return promise > 0 ? out.putLong(promise).array() : out.array();
        },
        (start, bytes) -> {
          ByteBuffer in = ByteBuffer.wrap(bytes);
          HlcRange range = new HlcRange(start.hlc(), HlcTimestamp.fromWire(in.getLong()));
          return new Lifetimes.Lifetime(range, in.hasRemaining() ? in.getLong() : 0);
        });
  }

  private static ValueCodec<String, SourcePosition> positions() {
    return new ValueCodec<>(
        position ->
            ByteBuffer.allocate(Long.BYTES + Integer.BYTES)
                .putLong(position.next())
                .putInt(position.epoch())
                .array(),
        (source, bytes) -> {
          ByteBuffer in = ByteBuffer.wrap(bytes);
          return new SourcePosition(source, in.getLong(), in.getInt());
        });
  }

  private static byte[] number(long number) {
    return ByteBuffer.allocate(Long.BYTES).putLong(number).array();
  }

  private static ByteBuffer texts(int moreBytes, String... texts) {
    byte[][] utf8 = new byte[texts.length][];
    int size = moreBytes;
    for (int i = 0; i < texts.length; i++) {
      utf8[i] = texts[i].getBytes(StandardCharsets.UTF_8);
      if (utf8[i].length > MAX_TEXT_BYTES) {
        throw new StoreConflictException(
            "a name of %d bytes cannot be stored: at most %d bytes are possible"
                .formatted(utf8[i].length, MAX_TEXT_BYTES));
      }
      size += Short.BYTES + utf8[i].length;
    }
    ByteBuffer out = ByteBuffer.allocate(size);
    for (byte[] text : utf8) {
      out.putShort((short) text.length).put(text);
    }
    return out;
  }

  private static Incarnation.Name name(ByteBuffer in) {
    return new Incarnation.Name(text(in), text(in));
  }

  private static String text(ByteBuffer in) {
    byte[] utf8 = new byte[Short.toUnsignedInt(in.getShort())];
    in.get(utf8);
    return new String(utf8, StandardCharsets.UTF_8);
  }
}
