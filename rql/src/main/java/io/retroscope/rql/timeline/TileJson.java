// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.timeline;

import io.retroscope.blocks.timeline.TimelineBins;
import io.retroscope.blocks.timeline.TimelineBins.Lane;
import io.retroscope.blocks.timeline.TimelineVariable;
import io.retroscope.blocks.timeline.TimelineVariable.Extremes;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.rql.cut.EventSource.Gap;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.Incompleteness.Ahead;
import io.retroscope.rql.json.JsonText;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import tools.jackson.core.JsonGenerator;

/** The writer of a tile as JSON, bin by bin; see {@code docs/format/http.md}. */
public final class TileJson {
  private static final int MAX_GAPS = 1_000;
  private static final int MAX_GAP_NODES = 256;
  private static final int MAX_UNCOUNTED = 100;

  private final JsonGenerator out;

  private TileJson(JsonGenerator out) {
    this.out = out;
  }

  /** The JSON of a tile, without that of which events are still expected. */
  public static byte[] bytes(Tile tile) {
    return JsonText.utf8Object(out -> new TileJson(out).write(tile));
  }

  /**
   * Adds which events are still expected to the JSON of a tile.
   *
   * @param until packed, at most the end of the tile; events with higher stamps are expected
   * @param isComplete whether nothing of the tile is missing or expected
   */
  public static byte[] until(byte[] tile, long until, boolean isComplete) {
    byte[] end =
        JsonText.utf8Object(
            out -> {
              out.writeBooleanProperty("complete", isComplete);
              out.writeStringProperty("until", HlcTimestamp.text(until));
            });
    end[0] = ',';
    byte[] whole = Arrays.copyOf(tile, tile.length - 1 + end.length);
    System.arraycopy(end, 0, whole, tile.length - 1, end.length);
    return whole;
  }

  private void write(Tile tile) {
    HlcRange range = tile.address().range();
    out.writeNumberProperty("level", tile.address().level());
    out.writeNumberProperty("tile", tile.address().tile());
    out.writeStringProperty("from", HlcTimestamp.text(range.from()));
    out.writeNumberProperty("binMicros", 1L << tile.address().level());
    tile.finestLevel().ifPresent(level -> out.writeNumberProperty("finestLevel", level));
    tile.finestNodeLevel().ifPresent(level -> out.writeNumberProperty("finestNodeLevel", level));
    out.writeArrayPropertyStart("logs");
    tile.logs().forEach(this::log);
    out.writeEndArray();
    gaps(tile);
    ahead(tile);
    out.writeArrayPropertyStart("unsummarised");
    for (Tile.Missing missing : tile.missing()) {
      out.writeStartObject();
      out.writeStringProperty("log", missing.log());
      range(missing.range());
      out.writeEndObject();
    }
    out.writeEndArray();
  }

  private void log(String name, TimelineBins bins) {
    out.writeStartObject();
    out.writeStringProperty("log", name);
    out.writeObjectPropertyStart("nodes");
    bins.lanes().forEach((node, lane) -> lane(node, lane, bins.size()));
    out.writeEndObject();
    out.writeObjectPropertyStart("variables");
    bins.variables()
        .forEach(
            (variable, values) ->
                variable(variable, values, bins.uncounted().contains(variable), bins.size()));
    out.writeEndObject();
    out.writeArrayPropertyStart("uncounted");
    bins.uncounted().stream()
        .filter(variable -> !bins.variables().containsKey(variable))
        .limit(MAX_UNCOUNTED)
        .forEach(out::writeString);
    out.writeEndArray();
    out.writeArrayPropertyStart("messages");
    for (int bin = 0; bin < bins.size(); bin++) {
      if (bins.slowest(bin) != TimelineBins.NO_MESSAGE || bins.unmatched(bin) > 0) {
        row(bin, bins.slowest(bin), bins.unmatched(bin));
      }
    }
    out.writeEndArray();
    out.writeEndObject();
  }

  private void lane(String node, Lane lane, int size) {
    out.writeArrayPropertyStart(node);
    for (int bin = 0; bin < size; bin++) {
      if (lane.events(bin) > 0) {
        row(bin, lane.events(bin), lane.sends(bin), lane.receives(bin), lane.lines(bin));
      }
    }
    out.writeEndArray();
  }

  private void variable(String name, TimelineVariable values, boolean isPartial, int size) {
    out.writeObjectPropertyStart(name);
    out.writeBooleanProperty("partial", isPartial);
    out.writeName("bins");
    extremes(values.all(), size);
    out.writeObjectPropertyStart("nodes");
    for (Map.Entry<String, Extremes> node : values.nodes().entrySet()) {
      out.writeName(node.getKey());
      extremes(node.getValue(), size);
    }
    out.writeEndObject();
    out.writeBooleanProperty("nodesPartial", values.hasOthers());
    out.writeEndObject();
  }

  private void extremes(Extremes values, int size) {
    out.writeStartArray();
    for (int bin = 0; bin < size; bin++) {
      if (values.writes(bin) > 0) {
        row(bin, values.writes(bin), values.min(bin), values.max(bin), values.last(bin));
      }
    }
    out.writeEndArray();
  }

  private void row(long... numbers) {
    out.writeArray(numbers, 0, numbers.length);
  }

  private void gaps(Tile tile) {
    out.writeArrayPropertyStart("gaps");
    for (Gap gap : tile.gaps().subList(0, Math.min(MAX_GAPS, tile.gaps().size()))) {
      out.writeStartObject();
      out.writeStringProperty("node", gap.node());
      range(gap.range());
      out.writeNumberProperty("events", gap.eventCount());
      out.writeEndObject();
    }
    out.writeEndArray();
    out.writeNumberProperty("moreGaps", Math.max(0, tile.gaps().size() - MAX_GAPS));
    Map<String, List<Tile.GapRun>> runs = tile.gapRuns();
    out.writeObjectPropertyStart("gapBins");
    runs.entrySet().stream()
        .limit(MAX_GAP_NODES)
        .forEach(
            node -> {
              out.writeArrayPropertyStart(node.getKey());
              node.getValue().forEach(run -> row(run.first(), run.last(), run.gaps()));
              out.writeEndArray();
            });
    out.writeEndObject();
    out.writeNumberProperty("moreGapNodes", Math.max(0, runs.size() - MAX_GAP_NODES));
  }

  private void ahead(Tile tile) {
    out.writeArrayPropertyStart("ahead");
    for (Ahead ahead : tile.ahead().subList(0, Math.min(MAX_GAPS, tile.ahead().size()))) {
      out.writeStartObject();
      out.writeStringProperty("node", ahead.nodes().iterator().next());
      range(ahead.range());
      out.writeNumberProperty("micros", ahead.aheadMicros());
      out.writeEndObject();
    }
    out.writeEndArray();
  }

  private void range(HlcRange range) {
    out.writeStringProperty("from", HlcTimestamp.text(range.from()));
    out.writeStringProperty("until", HlcTimestamp.text(range.to()));
  }
}
