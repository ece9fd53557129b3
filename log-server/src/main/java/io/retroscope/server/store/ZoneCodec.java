package io.retroscope.server.store;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.server.store.BlockZone.LogZone;
import io.retroscope.server.store.BlockZone.NodeZone;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** The serialized form of a zone map, preceded by a version byte. */
final class ZoneCodec {
  private ZoneCodec() {}

  static byte[] encode(BlockZone zone) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(128);
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      out.writeByte(StoreSchema.ZONE_VERSION);
      writeStamp(out, zone.firstHlc());
      writeStamp(out, zone.lastHlc());
      out.writeInt(zone.nodes().size());
      for (NodeZone node : zone.nodes()) {
        writeNode(out, node);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  /** Fails for other versions as well, because the zone map can be rebuilt from the block. */
  static BlockZone decode(long id, byte[] bytes) throws IOException {
    DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes));
    int version = in.readByte();
    if (version != StoreSchema.ZONE_VERSION) {
      throw new IOException("zone map of version " + version);
    }
    long firstHlc = readStamp(in);
    long lastHlc = readStamp(in);
    List<NodeZone> nodes = new ArrayList<>();
    for (int left = in.readInt(); left > 0; left--) {
      nodes.add(readNode(in));
    }
    return new BlockZone(id, firstHlc, lastHlc, nodes);
  }

  private static void writeNode(DataOutputStream out, NodeZone node) throws IOException {
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
    }
  }

  private static NodeZone readNode(DataInputStream in) throws IOException {
    String node = readText(in);
    long eventCount = in.readLong();
    long firstHlc = readStamp(in);
    long lastHlc = readStamp(in);
    boolean lifecycle = in.readBoolean();
    boolean marked = in.readBoolean();
    List<LogZone> logs = new ArrayList<>();
    for (int left = in.readInt(); left > 0; left--) {
      logs.add(new LogZone(readText(in), in.readLong(), readTexts(in), readTexts(in)));
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
