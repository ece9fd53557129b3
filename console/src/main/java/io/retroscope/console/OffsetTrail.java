// SPDX-License-Identifier: Apache-2.0
package io.retroscope.console;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.rql.cut.Catalog.NodeDescription;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.ClockOffsets.Offset;
import io.retroscope.rql.cut.EventSource.View;
import io.retroscope.rql.cut.HlcRange;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.core.JsonGenerator;

/** The bounds of the nodes' clock offsets at regular times, as JSON. */
public final class OffsetTrail {
  /** The most times. */
  public static final int MAX_POINTS = 500;

  /** The most offsets of all nodes together. */
  private static final int MAX_OFFSETS = 100_000;

  private OffsetTrail() {}

  /**
   * Lists the offsets at times from the start of a range to its end. A time at which nothing is
   * known of a node is left out; with very many nodes there are fewer times.
   *
   * @param points the number of times, from 2 to {@link #MAX_POINTS}
   */
  public static String json(View view, HlcRange range, int points) {
    List<NodeDescription> nodes = view.nodes().stream().filter(node -> !node.forgotten()).toList();
    int times = Math.max(2, Math.min(points, MAX_OFFSETS / Math.max(1, nodes.size())));
    ClockOffsets clocks = view.clockOffsets();
    return PageJson.object(
        out -> {
          out.writeStringProperty("from", HlcTimestamp.text(range.from()));
          out.writeStringProperty("until", HlcTimestamp.text(range.to()));
          out.writeNumberProperty("points", times);
          drivers(out, clocks);
          out.writeArrayPropertyStart("nodes");
          for (NodeDescription node : nodes.subList(0, Math.min(nodes.size(), MAX_OFFSETS / 2))) {
            out.writeStartObject();
            out.writeStringProperty("node", node.name());
            offsets(out, clocks, node.name(), range, times);
            out.writeEndObject();
          }
          out.writeEndArray();
        });
  }

  private static void drivers(JsonGenerator out, ClockOffsets clocks) {
    out.writeArrayPropertyStart("drivers");
    for (ClockOffsets.Driver driver : clocks.drivers()) {
      out.writeStartArray();
      out.writeString(driver.node());
      out.writeString(HlcTimestamp.text(driver.sinceHlc()));
      out.writeEndArray();
    }
    out.writeEndArray();
  }

  private static void offsets(
      JsonGenerator out, ClockOffsets clocks, String node, HlcRange range, int times) {
    List<long[]> steps = new ArrayList<>();
    out.writeArrayPropertyStart("offsets");
    long before = range.from();
    for (int i = 0; i < times; i++) {
      long hlc = i == times - 1 ? range.to() : at(range, i, times);
      clocks.offset(node, hlc).ifPresent(offset -> offset(out, HlcTimestamp.micros(hlc), offset));
      if (before < hlc && clocks.mayHaveStepped(node, before, hlc)) {
        steps.add(new long[] {HlcTimestamp.micros(before), HlcTimestamp.micros(hlc)});
      }
      before = hlc;
    }
    out.writeEndArray();
    out.writeArrayPropertyStart("stepped");
    steps.forEach(step -> out.writeArray(step, 0, step.length));
    out.writeEndArray();
  }

  /** Adds an offset as {@code [micros since 1970, lower bound, estimate, upper bound]}. */
  static void offset(JsonGenerator out, long micros, Offset offset) {
    out.writeStartArray();
    out.writeNumber(micros);
    PageJson.number(out, offset.lowMicros());
    out.writeNumber(offset.estimateMicros());
    PageJson.number(out, offset.highMicros());
    out.writeEndArray();
  }

  private static long at(HlcRange range, int place, int times) {
    long from = HlcTimestamp.micros(range.from());
    long length = HlcTimestamp.micros(range.to()) - from;
    return Math.max(range.from(), HlcTimestamp.pack(from + length / (times - 1) * place));
  }
}
