// SPDX-License-Identifier: Apache-2.0
package io.retroscope.console;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.rql.cut.Catalog.NodeDescription;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.ClockOffsets.Offset;
import io.retroscope.rql.cut.EventSource.View;
import io.retroscope.rql.cut.HlcRange;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

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
    JsonText json = new JsonText().raw("{");
    json.name("from").string(HlcTimestamp.text(range.from()));
    json.name("until").string(HlcTimestamp.text(range.to()));
    json.name("points").raw(Integer.toString(times));
    json.name("drivers").raw("[");
    for (ClockOffsets.Driver driver : view.clockOffsets().drivers()) {
      json.comma().raw("[").string(driver.node());
      json.comma().string(HlcTimestamp.text(driver.sinceHlc())).raw("]");
    }
    json.raw("]").name("nodes").raw("[");
    for (NodeDescription node : nodes.subList(0, Math.min(nodes.size(), MAX_OFFSETS / 2))) {
      json.comma().raw("{").name("node").string(node.name());
      offsets(json, view.clockOffsets(), node.name(), range, times);
      json.raw("}");
    }
    return json.raw("]}").toString();
  }

  private static void offsets(
      JsonText json, ClockOffsets clocks, String node, HlcRange range, int times) {
    json.name("offsets").raw("[");
    JsonText steps = new JsonText().raw("[");
    long before = range.from();
    for (int i = 0; i < times; i++) {
      long hlc = i == times - 1 ? range.to() : at(range, i, times);
      Optional<Offset> offset = clocks.offset(node, hlc);
      if (offset.isPresent()) {
        json.comma().raw("[").number(HlcTimestamp.micros(hlc));
        json.comma().raw(bound(offset.get().lowMicros()));
        json.number(offset.get().estimateMicros());
        json.comma().raw(bound(offset.get().highMicros())).raw("]");
      }
      if (before < hlc && clocks.mayHaveStepped(node, before, hlc)) {
        steps.comma().raw("[").number(HlcTimestamp.micros(before));
        steps.number(HlcTimestamp.micros(hlc)).raw("]");
      }
      before = hlc;
    }
    json.raw("]").name("stepped").raw(steps.raw("]").toString());
  }

  private static long at(HlcRange range, int place, int times) {
    long from = HlcTimestamp.micros(range.from());
    long length = HlcTimestamp.micros(range.to()) - from;
    return Math.max(range.from(), HlcTimestamp.pack(from + length / (times - 1) * place));
  }

  private static String bound(OptionalLong bound) {
    return bound.isPresent() ? Long.toString(bound.getAsLong()) : "null";
  }
}
