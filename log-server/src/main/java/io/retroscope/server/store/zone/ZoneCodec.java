// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store.zone;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.server.store.zone.BlockZone.LogZone;
import io.retroscope.server.store.zone.BlockZone.NodeZone;
import io.retroscope.server.store.zone.ZoneWrites.Counted;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The serialized form of a zone map, preceded by a version byte. */
public final class ZoneCodec {
  /*
   *   version 3 | first and last stamp | nodes
   *
   *   node: name, events, first and last stamp, whether there are starts or stops, whether there
   *     are events with marks, logs
   *   log: name, events, names that queries may use, those of them that state changes write; for
   *     each of the former twice, for state changes and for lines and messages: the number of
   *     writes and, unless it is 0, a bit for each type of TYPES and the last stamp
   *
   * Counts and the lengths of texts have 4 bytes. Version 2 ends a log before the writes.
   */
  /** The version of zone maps; older ones are rebuilt from the blocks. */
  public static final int VERSION = 3;

  private static final int WITHOUT_WRITES = 2;

  /** Each has a bit; new ones come last. */
  private static final List<String> TYPES =
      List.of(
          "NULL", "BOOLEAN", "LONG", "DOUBLE", "STRING", "DURATION", "TIMESTAMP", "SET", "STRUCT");

  private ZoneCodec() {}

  public static byte[] encode(StoredZone stored) {
    BlockZone zone = stored.zone();
    ZoneWrites writes = stored.writes().orElseThrow();
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(128);
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      out.writeByte(VERSION);
      writeStamp(out, zone.firstHlc());
      writeStamp(out, zone.lastHlc());
      out.writeInt(zone.nodes().size());
      for (NodeZone node : zone.nodes()) {
        writeNode(out, node, writes);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  /**
   * Reads a zone map; version 2 has no writes. Fails for unknown versions, because the zone map can
   * be rebuilt from the block.
   */
  public static StoredZone decode(long id, byte[] bytes) throws IOException {
    DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes));
    int version = in.readByte();
    if (version != VERSION && version != WITHOUT_WRITES) {
      throw new IOException("zone map of version " + version);
    }
    long firstHlc = readStamp(in);
    long lastHlc = readStamp(in);
    List<NodeZone> nodes = new ArrayList<>();
    Optional<ZoneWrites> writes =
        version == WITHOUT_WRITES ? Optional.empty() : Optional.of(new ZoneWrites(new HashMap<>()));
    for (int left = in.readInt(); left > 0; left--) {
      nodes.add(readNode(in, writes));
    }
    return new StoredZone(new BlockZone(id, firstHlc, lastHlc, nodes), writes);
  }

  private static void writeNode(DataOutputStream out, NodeZone node, ZoneWrites writes)
      throws IOException {
    writeText(out, node.node());
    out.writeLong(node.eventCount());
    writeStamp(out, node.firstHlc());
    writeStamp(out, node.lastHlc());
    out.writeBoolean(node.lifecycle());
    out.writeBoolean(node.marked());
    out.writeInt(node.logs().size());
    for (LogZone log : node.logs()) {
      writeText(out, log.log());
      out.writeLong(log.eventCount());
      writeTexts(out, log.variables());
      writeTexts(out, log.written());
      for (String variable : log.variables()) {
        writeCounted(
            out, writes.byKey().get(new ZoneWrites.Key(node.node(), log.log(), variable, true)));
        writeCounted(
            out, writes.byKey().get(new ZoneWrites.Key(node.node(), log.log(), variable, false)));
      }
    }
  }

  private static void writeCounted(DataOutputStream out, @Nullable Counted counted)
      throws IOException {
    out.writeInt(counted == null ? 0 : (int) counted.count());
    if (counted != null) {
      out.writeShort(typeBits(counted));
      writeStamp(out, counted.lastHlc());
    }
  }

  static int typeBits(Counted counted) {
    int bits = 0;
    for (String type : counted.types()) {
      bits |= 1 << TYPES.indexOf(type);
    }
    return bits;
  }

  static Set<String> types(int bits) {
    Set<String> types = new TreeSet<>();
    for (int i = 0; i < TYPES.size(); i++) {
      if ((bits & (1 << i)) != 0) {
        types.add(TYPES.get(i));
      }
    }
    return types;
  }

  private static void readCounted(DataInputStream in, ZoneWrites.Key key, ZoneWrites into)
      throws IOException {
    int count = in.readInt();
    if (count > 0) {
      Set<String> types = types(in.readUnsignedShort());
      into.byKey().put(key, new Counted(types, count, readStamp(in)));
    }
  }

  private static NodeZone readNode(DataInputStream in, Optional<ZoneWrites> writes)
      throws IOException {
    String node = readText(in);
    long eventCount = in.readLong();
    long firstHlc = readStamp(in);
    long lastHlc = readStamp(in);
    boolean lifecycle = in.readBoolean();
    boolean marked = in.readBoolean();
    List<LogZone> logs = new ArrayList<>();
    for (int left = in.readInt(); left > 0; left--) {
      LogZone log = new LogZone(readText(in), in.readLong(), readTexts(in), readTexts(in));
      logs.add(log);
      if (writes.isPresent()) {
        for (String variable : log.variables()) {
          readCounted(in, new ZoneWrites.Key(node, log.log(), variable, true), writes.get());
          readCounted(in, new ZoneWrites.Key(node, log.log(), variable, false), writes.get());
        }
      }
    }
    return new NodeZone(node, eventCount, firstHlc, lastHlc, lifecycle, marked, logs);
  }

  private static void writeStamp(DataOutputStream out, long hlc) throws IOException {
    out.writeLong(HlcTimestamp.toWire(hlc));
  }

  private static long readStamp(DataInputStream in) throws IOException {
    return HlcTimestamp.fromWire(in.readLong());
  }

  private static void writeText(DataOutputStream out, String text) throws IOException {
    byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
    out.writeInt(utf8.length);
    out.write(utf8);
  }

  private static void writeTexts(DataOutputStream out, List<String> texts) throws IOException {
    out.writeInt(texts.size());
    for (String text : texts) {
      writeText(out, text);
    }
  }

  private static List<String> readTexts(DataInputStream in) throws IOException {
    List<String> texts = new ArrayList<>();
    for (int left = in.readInt(); left > 0; left--) {
      texts.add(readText(in));
    }
    return List.copyOf(texts);
  }

  private static String readText(DataInputStream in) throws IOException {
    return new String(in.readNBytes(in.readInt()), StandardCharsets.UTF_8);
  }
}
