// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store.zone;

import io.retroscope.blocks.NameTable;
import io.retroscope.blocks.zone.LongCounts;
import io.retroscope.blocks.zone.LongZone;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.CorruptBlockException;
import io.retroscope.event.EventBlock;
import io.retroscope.event.WireReader;
import io.retroscope.event.WireWriter;
import io.retroscope.server.store.zone.SealedParts.Shape;
import io.retroscope.server.store.zone.ZoneWrites.Counted;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The serialized form of a sealed block's zone map and writes. */
public final class SummaryCodec {
  /*
   *   version 1 | first and last stamp | bytes of the sealed block | flags | log
   *   | variables | written variables | nodes and their numbers of events
   *   | writes: node id, index of variable, of state, types, number, last stamp - first stamp
   *   | the LongZone, or nothing
   *
   * The writes are read for DESCRIBE, and for who writes what. Programs that do not know the zone end before it.
   */
  private static final int VERSION = 1;

  /** With fewer writes per node, a zone would take too much space beside its block. */
  private static final int MIN_WRITES = 8;

  private static final int LIFECYCLE = 1;
  private static final int MARKED = 2;

  private SummaryCodec() {}

  /**
   * A summary as stored.
   *
   * @param blockBytes the length of the sealed block
   */
  public record Summary(BlockZone zone, long blockBytes) {}

  /**
   * The summary of a sealed block.
   *
   * @param rows all of the block
   * @param counts of the rows, if they can be counted
   */
  public static byte[] encode(
      BlockZone zone,
      EventBlock rows,
      @Nullable LongCounts counts,
      long blockBytes,
      NameTable nodes) {
    ZoneWrites writes = ZoneWrites.of(rows, counts);
    SealedParts parts = (SealedParts) zone.nodes();
    Shape shape = parts.shape();
    WireWriter out = new WireWriter();
    out.putByte(VERSION);
    out.putLong(HlcTimestamp.toWire(zone.firstHlc()));
    out.putLong(HlcTimestamp.toWire(zone.lastHlc()));
    out.putVarint(blockBytes);
    out.putByte((shape.lifecycle() ? LIFECYCLE : 0) | (shape.marked() ? MARKED : 0));
    out.putText(shape.log());
    putTexts(out, shape.variables());
    putTexts(out, shape.written());
    parts.writeCounts(out);
    out.putVarint(writes.byKey().size());
    for (Map.Entry<ZoneWrites.Key, Counted> entry : writes.byKey().entrySet()) {
      Counted counted = entry.getValue();
      out.putVarint(nodes.idOf(entry.getKey().node()));
      out.putVarint(shape.variables().indexOf(entry.getKey().variable()));
      out.putByte(entry.getKey().ofState() ? 1 : 0);
      out.putVarint(ZoneCodec.typeBits(counted));
      out.putVarint(counted.count());
      out.putVarint(counted.lastHlc() - zone.firstHlc());
    }
    LongZone.of(rows, MIN_WRITES)
        .ifPresent(longs -> longs.write(out, zone.firstHlc(), shape.written(), nodes));
    return out.toByteArray();
  }

  /** Reads a summary without the writes. */
  public static Summary decode(long id, byte[] bytes, NameTable nodes)
      throws CorruptBlockException {
    return decode(id, new WireReader(bytes, 0, bytes.length, 0), nodes);
  }

  public static Summary decode(long id, WireReader in, NameTable nodes)
      throws CorruptBlockException {
    Head head = readHead(in);
    BlockZone zone = SealedParts.read(id, head.firstHlc, head.lastHlc, head.shape, in, nodes);
    return new Summary(zone, head.blockBytes);
  }

  /** The part before the nodes. */
  private record Head(long firstHlc, long lastHlc, long blockBytes, Shape shape) {}

  private static Head readHead(WireReader in) throws CorruptBlockException {
    int version = in.getByte();
    if (version != VERSION) {
      throw in.corrupt("summary of version " + version);
    }
    long firstHlc = HlcTimestamp.fromWire(in.getLong());
    long lastHlc = HlcTimestamp.fromWire(in.getLong());
    long blockBytes = in.getVarint();
    int flags = in.getByte();
    Shape shape =
        new Shape(
            in.getText(),
            getTexts(in),
            getTexts(in),
            (flags & LIFECYCLE) != 0,
            (flags & MARKED) != 0);
    return new Head(firstHlc, lastHlc, blockBytes, shape);
  }

  /** Reads the writes of a summary. */
  public static ZoneWrites decodeWrites(long id, byte[] bytes, NameTable nodes)
      throws CorruptBlockException {
    WireReader in = new WireReader(bytes, 0, bytes.length, 0);
    return decodeWrites(decode(id, in, nodes).zone(), in, nodes);
  }

  public static ZoneWrites decodeWrites(BlockZone zone, WireReader in, NameTable nodes)
      throws CorruptBlockException {
    Shape shape = ((SealedParts) zone.nodes()).shape();
    ZoneWrites writes = new ZoneWrites(new HashMap<>());
    for (int left = in.getCount("writes"); left > 0; left--) {
      String node = nodes.name(in.getBounded("id of a node", nodes.size() - 1));
      String variable =
          shape.variables().get(in.getBounded("variable", shape.variables().size() - 1));
      boolean ofState = in.getByte() == 1;
      int types = in.getBounded("types", (1 << Short.SIZE) - 1);
      Counted counted =
          new Counted(ZoneCodec.types(types), in.getVarint(), zone.firstHlc() + in.getVarint());
      writes.byKey().put(new ZoneWrites.Key(node, shape.log(), variable, ofState), counted);
    }
    return writes;
  }

  /**
   * Reads the zone after the writes; empty if the block has none, or if an older program stored the
   * summary.
   */
  public static Optional<LongZone> decodeLongZone(byte[] bytes, NameTable nodes)
      throws CorruptBlockException {
    WireReader in = new WireReader(bytes, 0, bytes.length, 0);
    Head head = readHead(in);
    SealedParts.skip(in);
    skipWrites(in);
    Shape shape = head.shape;
    return LongZone.read(in, bytes, head.firstHlc, shape.log(), shape.written(), nodes);
  }

  /**
   * Reads the writers of the variables that state changes write.
   *
   * @param shape of the zone of the same summary
   */
  public static Writers decodeWriters(byte[] bytes, Shape shape, NameTable nodes)
      throws CorruptBlockException {
    WireReader in = new WireReader(bytes, 0, bytes.length, 0);
    long firstHlc = readHead(in).firstHlc;
    SealedParts.skip(in);
    Map<String, List<String>> writers = new TreeMap<>();
    Map<String, Long> last = new HashMap<>();
    for (int left = in.getCount("writes"); left > 0; left--) {
      String node = nodes.name(in.getBounded("id of a node", nodes.size() - 1));
      String variable =
          shape.variables().get(in.getBounded("variable", shape.variables().size() - 1));
      boolean ofState = in.getByte() == 1;
      long unused = in.getVarint() + in.getVarint();
      long lastHlc = firstHlc + in.getVarint();
      if (ofState) {
        writers.computeIfAbsent(variable, name -> new ArrayList<>()).add(node);
        last.merge(variable, lastHlc, Math::max);
      }
    }
    List<Writers.Part> parts = new ArrayList<>();
    writers.forEach(
        (variable, of) ->
            parts.add(new Writers.Part(variable, of, last.getOrDefault(variable, Long.MAX_VALUE))));
    return new Writers(parts);
  }

  private static void skipWrites(WireReader in) throws CorruptBlockException {
    for (int left = in.getCount("writes"); left > 0; left--) {
      long unused = in.getVarint() + in.getVarint();
      unused += in.getByte();
      for (int i = 0; i < 3; i++) {
        unused += in.getVarint();
      }
    }
  }

  private static void putTexts(WireWriter out, List<String> texts) {
    out.putVarint(texts.size());
    texts.forEach(out::putText);
  }

  private static List<String> getTexts(WireReader in) throws CorruptBlockException {
    List<String> texts = new ArrayList<>();
    for (int left = in.getCount("texts"); left > 0; left--) {
      texts.add(in.getText());
    }
    return texts;
  }
}
