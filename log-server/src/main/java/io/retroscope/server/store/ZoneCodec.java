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
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The bytes of a zone map, after a byte of version; used by one thread. A reader hands out equal
 * names and equal lists of names as one object, for there are many zones and few names.
 */
final class ZoneCodec {
  private static final int VERSION = 1;

  private final Map<String, String> names = new HashMap<>();
  private final Map<List<String>, List<String>> lists = new HashMap<>();

  static byte[] encode(BlockZone zone) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(128);
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      out.writeByte(VERSION);
      writeStamp(out, zone.firstHlc());
      writeStamp(out, zone.lastHlc());
      out.writeBoolean(zone.lifecycle());
      out.writeInt(zone.nodes().size());
      for (NodeZone node : zone.nodes()) {
        writeText(out, node.node());
        out.writeLong(node.eventCount());
        writeStamp(out, node.firstHlc());
        writeStamp(out, node.lastHlc());
      }
      out.writeInt(zone.logs().size());
      for (LogZone log : zone.logs()) {
        writeText(out, log.log());
        out.writeLong(log.eventCount());
        out.writeInt(log.variables().size());
        for (String variable : log.variables()) {
          writeText(out, variable);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  BlockZone decode(long id, byte[] bytes) throws IOException {
    DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes));
    int version = in.readByte();
    if (version != VERSION) {
      throw new IOException("zone map of version " + version);
    }
    long firstHlc = readStamp(in);
    long lastHlc = readStamp(in);
    boolean lifecycle = in.readBoolean();
    List<NodeZone> nodes = new ArrayList<>();
    for (int left = in.readInt(); left > 0; left--) {
      nodes.add(new NodeZone(readText(in), in.readLong(), readStamp(in), readStamp(in)));
    }
    List<LogZone> logs = new ArrayList<>();
    for (int left = in.readInt(); left > 0; left--) {
      String log = readText(in);
      long eventCount = in.readLong();
      List<String> variables = new ArrayList<>();
      for (int names = in.readInt(); names > 0; names--) {
        variables.add(readText(in));
      }
      List<String> copy = List.copyOf(variables);
      logs.add(new LogZone(log, eventCount, lists.computeIfAbsent(copy, list -> list)));
    }
    return new BlockZone(id, firstHlc, lastHlc, lifecycle, nodes, logs);
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

  private String readText(DataInputStream in) throws IOException {
    String text = new String(in.readNBytes(in.readInt()), StandardCharsets.UTF_8);
    return names.computeIfAbsent(text, name -> name);
  }
}
