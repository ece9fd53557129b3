// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.api;

import io.javalin.http.Context;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.clock.PhysicalClock;
import io.retroscope.server.health.Health;
import io.retroscope.server.health.Release;
import io.retroscope.server.live.WatermarkTracker;
import io.retroscope.server.store.EventStore;
import io.retroscope.server.store.disk.StoreException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import tools.jackson.databind.json.JsonMapper;

/**
 * The state of the server itself, {@code GET /v1/server}, and of the caller's session with it,
 * {@code GET /v1/session}. Thread-safe.
 */
final class ServerEndpoint {
  private final StatusParts parts;
  private final WatermarkTracker watermarks;
  private final Health health;
  private final PhysicalClock clock;
  private final SessionAnswer session;
  private final Map<String, IntSupplier> running;
  private final Supplier<Map<String, Object>> cluster;
  private final JsonMapper json = JsonMapper.builder().build();

  /**
   * An endpoint.
   *
   * @param running the number of requests of each kind that are being answered
   * @param cluster the state of the cluster; nothing if there is none
   */
  ServerEndpoint(
      StatusParts parts, Map<String, IntSupplier> running, Supplier<Map<String, Object>> cluster) {
    this.parts = parts;
    this.watermarks = parts.watermarks();
    this.health = parts.health();
    this.clock = parts.clock();
    this.session = new SessionAnswer(parts.source(), "server", List.of());
    this.running = new LinkedHashMap<>(running);
    this.cluster = cluster;
  }

  List<Route> routes() {
    return List.of(
        new Route.Get("/v1/session", Access.READ, this::session),
        new Route.Get("/v1/server", Access.READ, this::server));
  }

  private void session(Context context) {
    Map<String, Object> answer = session.of(context);
    answer.put("now", HlcTimestamp.text(HlcTimestamp.pack(clock.micros())));
    answer.put("watermark", HlcTimestamp.text(watermarks.current().hlc()));
    answer(context, answer);
  }

  private void server(Context context) {
    Map<String, Object> answer = new LinkedHashMap<>();
    answer.put("version", Release.VERSION);
    answer.put("ready", health.trouble().isEmpty());
    health.trouble().ifPresent(sentence -> answer.put("trouble", sentence));
    health.notice().ifPresent(sentence -> answer.put("notice", sentence));
    answer.put("losses", parts.losses().get());
    EventStore.Figures figures = parts.figures().get();
    answer.put("disk", disk(figures));
    answer.put("memory", memory(figures));
    answer.put("sealing", sealing(figures));
    long watermark = watermarks.current().hlc();
    answer.put("watermark", HlcTimestamp.text(watermark));
    answer.put(
        "watermarkLagMicros",
        watermark == HlcTimestamp.MIN_PACKED
            ? null
            : Math.max(0, clock.micros() - HlcTimestamp.micros(watermark)));
    answer.put("heldMicros", watermarks.heldMicros());
    answer.put("missing", watermarks.current().missing());
    putDoubts(answer, parts.doubts());
    answer.put("rejectedInputs", parts.rejected().getAsLong());
    Map<String, Integer> counts = new LinkedHashMap<>();
    running.forEach((kind, count) -> counts.put(kind, count.getAsInt()));
    answer.put("running", counts);
    Map<String, Object> ofCluster = cluster.get();
    if (!ofCluster.isEmpty()) {
      answer.put("cluster", ofCluster);
    }
    answer(context, answer);
  }

  /** A server of a cluster may not know them at present. */
  static void putDoubts(Map<String, Object> answer, Supplier<EventStore.Doubts> doubts) {
    try {
      EventStore.Doubts present = doubts.get();
      answer.put("quarantined", present.quarantined());
      answer.put("lost", present.lost());
    } catch (StoreException e) {
      answer.put("quarantined", null);
      answer.put("lost", null);
      answer.put("unread", e.getMessage());
    }
  }

  private static Map<String, Object> disk(EventStore.Figures figures) {
    Map<String, Object> disk = new LinkedHashMap<>();
    disk.put("fileBytes", figures.fileBytes());
    disk.put("freeBytes", figures.freeBytes());
    disk.put("damagedBlocks", figures.damagedBlockCount());
    disk.put("waitingSubmissions", figures.waitingCount());
    disk.put("waitingBytes", figures.waitingBytes());
    return disk;
  }

  private Map<String, Object> memory(EventStore.Figures figures) {
    Map<String, Object> memory = new LinkedHashMap<>();
    memory.put("usedBytes", parts.memory().usedBytes());
    memory.put("limitBytes", parts.memory().totalBytes());
    memory.put("refused", parts.memory().refusedCount());
    memory.put("cachedBytes", figures.cachedBytes());
    return memory;
  }

  private static Map<String, Object> sealing(EventStore.Figures figures) {
    Map<String, Object> sealing = new LinkedHashMap<>();
    sealing.put("blocks", figures.blockCount());
    sealing.put("unsealedBlocks", figures.blockCount() - figures.sealedBlockCount());
    return sealing;
  }

  private void answer(Context context, Map<String, Object> content) {
    JsonAnswer.send(context, json.writeValueAsBytes(content));
  }
}
