// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recordings.file;

import io.retroscope.blocks.Run;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.CorruptBlockException;
import io.retroscope.event.WireReader;
import io.retroscope.event.WireWriter;
import io.retroscope.rql.cut.Catalog.LogDescription;
import io.retroscope.rql.cut.Catalog.NodeDescription;
import io.retroscope.rql.cut.EventSource.Gap;
import io.retroscope.rql.cut.EventSource.Overlap;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.Incompleteness;
import io.retroscope.rql.json.IncompletenessJson;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The facts about all events of a file, besides the events. Immutable.
 *
 * @param logs ordered by name
 * @param nodes in natural order
 * @param stays the times at which each node was seen, in natural order
 * @param starts the first packed stamp of each run that events name
 */
record FileSummary(
    List<LogDescription> logs,
    List<NodeDescription> nodes,
    List<NodeStays> stays,
    Map<Run, Long> starts,
    List<Gap> gaps,
    List<Overlap> overlaps,
    List<Incompleteness> reasons) {
  /** In version 1 the reasons are sentences. */
  private static final int VERSION = 2;

  FileSummary {
    logs = List.copyOf(logs);
    nodes = List.copyOf(nodes);
    stays = List.copyOf(stays);
    starts = Map.copyOf(starts);
    gaps = List.copyOf(gaps);
    overlaps = List.copyOf(overlaps);
    reasons = List.copyOf(reasons);
  }

  /** The same with one more reason. */
  FileSummary and(Incompleteness reason) {
    List<Incompleteness> more = new ArrayList<>(reasons);
    more.add(reason);
    return new FileSummary(logs, nodes, stays, starts, gaps, overlaps, more);
  }

  byte[] encode() {
    WireWriter out = new WireWriter();
    out.putByte(VERSION);
    out.putVarint(logs.size());
    for (LogDescription log : logs) {
      out.putText(log.name());
      out.putVarint(log.eventCount());
      out.putVarint(log.variables().size());
      log.variables().forEach(out::putText);
    }
    out.putVarint(nodes.size());
    for (int i = 0; i < nodes.size(); i++) {
      NodeDescription node = nodes.get(i);
      out.putText(node.name());
      out.putVarint(node.eventCount());
      put(new HlcRange(node.firstHlc(), node.lastHlc()), out);
      stays.get(i).write(out);
    }
    out.putVarint(starts.size());
    starts.forEach(
        (run, hlc) -> {
          out.putText(run.node());
          out.putText(run.incarnation());
          out.putLong(HlcTimestamp.toWire(hlc));
        });
    out.putVarint(gaps.size());
    for (Gap gap : gaps) {
      out.putText(gap.node());
      out.putText(gap.incarnation());
      put(gap.range(), out);
      out.putVarint(gap.eventCount());
    }
    out.putVarint(overlaps.size());
    for (Overlap overlap : overlaps) {
      out.putText(overlap.node());
      put(overlap.range(), out);
      out.putByte(overlap.restart() ? 1 : 0);
    }
    out.putVarint(reasons.size());
    reasons.forEach(reason -> out.putText(IncompletenessJson.text(reason)));
    return out.toByteArray();
  }

  private static void put(HlcRange range, WireWriter out) {
    out.putLong(HlcTimestamp.toWire(range.from()));
    out.putLong(HlcTimestamp.toWire(range.to()));
  }

  static FileSummary decode(byte[] bytes) throws CorruptBlockException {
    WireReader in = new WireReader(bytes, 0, bytes.length, 0);
    int version = in.getByte();
    if (version < 1 || version > VERSION) {
      throw in.corrupt("summary of version " + version + "; this program reads up to " + VERSION);
    }
    List<LogDescription> logs = new ArrayList<>();
    for (int i = in.getCount("logs"); i > 0; i--) {
      String name = in.getText();
      long count = in.getVarint();
      logs.add(new LogDescription(name, texts(in, "variables"), count));
    }
    List<NodeDescription> nodes = new ArrayList<>();
    List<NodeStays> stays = new ArrayList<>();
    for (int i = in.getCount("nodes"); i > 0; i--) {
      String name = in.getText();
      long count = in.getVarint();
      HlcRange range = range(in);
      nodes.add(new NodeDescription(name, count, range.from(), range.to()));
      stays.add(NodeStays.read(name, in));
    }
    Map<Run, Long> starts = new LinkedHashMap<>();
    for (int i = in.getCount("runs"); i > 0; i--) {
      Run run = new Run(in.getText(), in.getText());
      starts.put(run, HlcTimestamp.fromWire(in.getLong()));
    }
    List<Gap> gaps = new ArrayList<>();
    for (int i = in.getCount("losses"); i > 0; i--) {
      gaps.add(new Gap(in.getText(), in.getText(), range(in), in.getVarint()));
    }
    List<Overlap> overlaps = new ArrayList<>();
    for (int i = in.getCount("overlaps"); i > 0; i--) {
      overlaps.add(new Overlap(in.getText(), range(in), in.getByte() == 1));
    }
    List<Incompleteness> reasons = new ArrayList<>();
    for (String text : texts(in, "reasons")) {
      reasons.add(reason(text, version, in));
    }
    return new FileSummary(logs, nodes, stays, starts, gaps, overlaps, reasons);
  }

  private static Incompleteness reason(String text, int version, WireReader in)
      throws CorruptBlockException {
    if (version == 1) {
      return new Incompleteness.Reported(text);
    }
    try {
      return IncompletenessJson.read(text);
    } catch (IllegalArgumentException e) {
      throw in.corrupt("a reason that is not readable: " + e.getMessage());
    }
  }

  private static List<String> texts(WireReader in, String what) throws CorruptBlockException {
    List<String> texts = new ArrayList<>();
    for (int i = in.getCount(what); i > 0; i--) {
      texts.add(in.getText());
    }
    return texts;
  }

  private static HlcRange range(WireReader in) throws CorruptBlockException {
    long from = HlcTimestamp.fromWire(in.getLong());
    long to = HlcTimestamp.fromWire(in.getLong());
    if (from > to) {
      throw in.corrupt("a range that ends before it begins");
    }
    return new HlcRange(from, to);
  }
}
