// SPDX-License-Identifier: Apache-2.0
package io.retroscope.console;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.rql.cut.EventSource.View;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.presence.SilenceLimits;
import io.retroscope.rql.cut.presence.SilentNode;
import io.retroscope.rql.cut.presence.SilentNodes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import tools.jackson.core.JsonGenerator;

/**
 * The stretches of a range without a sign of a node, as JSON: those of nodes that answers call
 * silent, and of nodes that had stopped. Used by one thread, once.
 */
public final class SilentStretches {
  /** The most stretches with an end in one answer; those that last are at most one per node. */
  public static final int MAX_ENDED = 5_000;

  private final View view;
  private final HlcRange range;
  private final List<Stretch> stretches = new ArrayList<>();
  private final Map<String, SilentNode> open = new TreeMap<>();
  private int ended;

  /**
   * A stretch without a sign of a node.
   *
   * @param until empty if it lasts
   */
  private record Stretch(String node, String state, long since, OptionalLong until) {
    void write(JsonGenerator out) {
      out.writeStartArray();
      out.writeString(node);
      out.writeString(state);
      out.writeString(HlcTimestamp.text(since));
      if (until.isPresent()) {
        out.writeString(HlcTimestamp.text(until.getAsLong()));
      } else {
        out.writeNull();
      }
      out.writeEndArray();
    }
  }

  private SilentStretches(View view, HlcRange range) {
    this.view = view;
    this.range = range;
  }

  /**
   * Lists the stretches in the order in which they end; one that lasts has no end.
   *
   * @param limits of silence, as those of the engine that answers queries
   */
  public static String json(View view, HlcRange range, SilenceLimits limits) {
    SilentStretches silent = new SilentStretches(view, range);
    SilentNodes nodes = new SilentNodes(limits, node -> true);
    nodes.continueIn(view);
    nodes.advance(range.from(), silent::change);
    nodes.advance(range.to(), silent::change);
    silent.open.values().forEach(node -> silent.add(node, OptionalLong.empty()));
    return PageJson.object(silent::write);
  }

  private void write(JsonGenerator out) {
    out.writeStringProperty("from", HlcTimestamp.text(range.from()));
    out.writeStringProperty("until", HlcTimestamp.text(range.to()));
    out.writeBooleanProperty("complete", ended <= MAX_ENDED);
    out.writeArrayPropertyStart("silent");
    stretches.forEach(stretch -> stretch.write(out));
    out.writeEndArray();
  }

  private void change(long hlc, List<SilentNode> now) {
    for (SilentNode node : List.copyOf(open.values())) {
      if (!now.contains(node)) {
        end(node, hlc);
      }
    }
    now.forEach(node -> open.putIfAbsent(node.node(), node));
  }

  private void end(SilentNode node, long hlc) {
    open.remove(node.node());
    if (++ended <= MAX_ENDED) {
      add(node, OptionalLong.of(hlc));
    }
  }

  private void add(SilentNode node, OptionalLong until) {
    long since = node.sinceHlc();
    boolean hasStopped = CutPicture.hasStopped(view, node.node(), since);
    stretches.add(
        new Stretch(
            node.node(), hasStopped ? "stopped" : "silent", Math.max(range.from(), since), until));
  }
}
