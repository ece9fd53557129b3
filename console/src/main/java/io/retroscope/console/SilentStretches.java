// SPDX-License-Identifier: Apache-2.0
package io.retroscope.console;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.rql.cut.EventSource.View;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.presence.SilenceLimits;
import io.retroscope.rql.cut.presence.SilentNode;
import io.retroscope.rql.cut.presence.SilentNodes;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The stretches of a range without a sign of a node, as JSON: those of nodes that answers call
 * silent, and of nodes that had stopped. Used by one thread, once.
 */
public final class SilentStretches {
  /** The most stretches with an end in one answer; those that last are at most one per node. */
  public static final int MAX_ENDED = 5_000;

  private final View view;
  private final HlcRange range;
  private final JsonText rows = new JsonText().raw("[");
  private final Map<String, SilentNode> open = new TreeMap<>();
  private int ended;

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
    SilentStretches stretches = new SilentStretches(view, range);
    SilentNodes nodes = new SilentNodes(limits, node -> true);
    nodes.continueIn(view);
    nodes.advance(range.from(), stretches::change);
    nodes.advance(range.to(), stretches::change);
    stretches.open.values().forEach(node -> stretches.add(node, "null"));
    JsonText json = new JsonText().raw("{");
    json.name("from").string(HlcTimestamp.text(range.from()));
    json.name("until").string(HlcTimestamp.text(range.to()));
    json.name("complete").raw(Boolean.toString(stretches.ended <= MAX_ENDED));
    return json.name("silent").raw(stretches.rows.raw("]}").toString()).toString();
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
      add(node, "\"" + HlcTimestamp.text(hlc) + "\"");
    }
  }

  private void add(SilentNode node, String until) {
    long since = node.sinceHlc();
    rows.comma().raw("[").string(node.node());
    rows.comma().string(CutPicture.hasStopped(view, node.node(), since) ? "stopped" : "silent");
    rows.comma().string(HlcTimestamp.text(Math.max(range.from(), since)));
    rows.comma().raw(until).raw("]");
  }
}
