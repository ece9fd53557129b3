// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.api;

import static java.util.stream.Collectors.groupingBy;

import io.javalin.http.Context;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.clock.PhysicalClock;
import io.retroscope.event.EventBlock;
import io.retroscope.rql.cut.Catalog;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.EventSource.Overlap;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.Watermark;
import io.retroscope.rql.json.JsonText;
import io.retroscope.server.health.Health;
import io.retroscope.server.health.Release;
import io.retroscope.server.live.WatermarkTracker;
import io.retroscope.server.live.WatermarkTracker.LaneStatus;
import io.retroscope.server.metrics.Metrics;
import io.retroscope.server.store.EventStore;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The read-only endpoints for the nodes and the state of the server. Thread-safe. */
final class StatusEndpoint {
  private final StatusParts parts;
  private final EventSource source;
  private final WatermarkTracker watermarks;
  private final Health health;
  private final PhysicalClock clock;
  private final Metrics metrics;
  private final Access ofMetrics;

  /**
   * The endpoint.
   *
   * @param openMetrics whether the metrics need no permission
   */
  StatusEndpoint(StatusParts parts, boolean openMetrics) {
    this.metrics = parts.metrics();
    this.ofMetrics = openMetrics ? Access.OPEN : Access.READ;
    this.parts = parts;
    this.source = parts.source();
    this.watermarks = parts.watermarks();
    this.health = parts.health();
    this.clock = parts.clock();
  }

  List<Route> routes() {
    return List.of(
        new Route.Get("/v1/nodes", Access.READ, this::nodes),
        new Route.Get("/v1/health", Access.READ, this::health),
        new Route.Get("/health/live", Access.OPEN, context -> context.result("alive\n")),
        new Route.Get("/health/ready", Access.OPEN, this::ready),
        new Route.Get("/metrics", ofMetrics, this::metrics));
  }

  private void metrics(Context context) {
    context.contentType(Metrics.MEDIA_TYPE).result(metrics.text());
  }

  /** Answers whether the server works. The answer is public, so it contains no reason. */
  private void ready(Context context) {
    boolean ready = health.trouble().isEmpty();
    context.status(ready ? 200 : 503).result(ready ? "ready\n" : "not ready\n");
  }

  /** Answers whether the server works, with the reason if it does not. */
  private void health(Context context) {
    Optional<String> trouble = health.trouble();
    Map<String, Object> answer = new LinkedHashMap<>();
    answer.put("ready", trouble.isEmpty());
    answer.put("version", Release.VERSION);
    trouble.ifPresent(sentence -> answer.put("trouble", sentence));
    health.notice().ifPresent(sentence -> answer.put("notice", sentence));
    List<String> losses = parts.losses().get();
    if (!losses.isEmpty()) {
      answer.put("losses", losses);
    }
    answer(context, answer);
  }

  private void nodes(Context context) {
    List<Map<String, Object>> nodes = new ArrayList<>();
    // Acknowledged events count at once, not only from the next tick on.
    Watermark watermark = watermarks.advance();
    Map<String, List<LaneStatus>> lanes =
        watermarks.lanes().stream().collect(groupingBy(lane -> lane.incarnation().name().node()));
    try (EventSource.View view = source.open()) {
      List<Overlap> overlaps = view.overlaps(HlcRange.ALL);
      for (Catalog.NodeDescription node : view.nodes()) {
        if (node.forgotten()) {
          continue;
        }
        Map<String, Object> entry = new LinkedHashMap<>();
        entry.put("name", node.name());
        entry.put("events", node.eventCount());
        entry.put("firstHlc", HlcTimestamp.text(node.firstHlc()));
        entry.put("lastHlc", HlcTimestamp.text(node.lastHlc()));
        entry.put("incarnations", incarnations(lanes.getOrDefault(node.name(), List.of())));
        entry.put("overlaps", overlaps.stream().filter(o -> o.node().equals(node.name())).count());
        nodes.add(entry);
      }
    }
    Map<String, Object> answer = new LinkedHashMap<>();
    answer.put("nodes", nodes);
    answer.put("watermark", HlcTimestamp.text(watermark.hlc()));
    answer.put("heldMicros", watermarks.heldMicros());
    answer.put("missing", watermark.missing());
    EventStore.Doubts doubts = parts.doubts().get();
    answer.put("quarantined", doubts.quarantined());
    answer.put("lost", doubts.lost());
    answer(context, answer);
  }

  private List<Map<String, Object>> incarnations(List<LaneStatus> lanes) {
    List<Map<String, Object>> all = new ArrayList<>();
    for (LaneStatus lane : lanes) {
      Map<String, Object> entry = new LinkedHashMap<>();
      entry.put("incarnation", lane.incarnation().name().incarnation());
      entry.put("state", lane.ended() ? "ended" : lane.counts() ? "live" : "silent");
      if (lane.incarnation().frontier() != EventBlock.NO_HEARTBEAT) {
        long frontier = lane.incarnation().frontier();
        entry.put("frontier", HlcTimestamp.text(frontier));
        entry.put("lagMicros", Math.max(0, clock.micros() - HlcTimestamp.micros(frontier)));
      }
      entry.put("silentMicros", lane.silentMicros());
      entry.put("missingBlocks", lane.incarnation().gapCount());
      if (lane.leadMicros() > 0) {
        entry.put("aheadMicros", lane.leadMicros());
      }
      all.add(entry);
    }
    return all;
  }

  private void answer(Context context, Map<String, Object> content) {
    context.contentType("application/json").result(JsonText.tree(content));
  }
}
