package io.retroscope.server.api;

import io.javalin.http.Context;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.clock.PhysicalClock;
import io.retroscope.event.EventBlock;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.Watermark;
import io.retroscope.rql.engine.AlignmentTable;
import io.retroscope.rql.json.RowJson;
import io.retroscope.server.health.Health;
import io.retroscope.server.kafka.KafkaIngest;
import io.retroscope.server.live.WatermarkTracker;
import io.retroscope.server.live.WatermarkTracker.LaneStatus;
import io.retroscope.server.store.EventStore;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.util.RawValue;

/** What is known, and how the server is: the endpoints that only read. Thread-safe. */
final class StatusEndpoint {
  private final EventStore store;
  private final EventSource source;
  private final WatermarkTracker watermarks;
  private final Optional<KafkaIngest> kafka;
  private final Health health;
  private final PhysicalClock clock;
  private final JsonMapper json = JsonMapper.builder().build();

  StatusEndpoint(HttpApi.Parts parts) {
    this.store = parts.store();
    this.source = parts.source();
    this.watermarks = parts.watermarks();
    this.kafka = parts.kafka();
    this.health = parts.health();
    this.clock = parts.clock();
  }

  /** Whether all that the server is to do can be done; anybody may ask, so it gives no reason. */
  void ready(Context context) {
    boolean ready = health.trouble().isEmpty();
    context.status(ready ? 200 : 503).result(ready ? "ready\n" : "not ready\n");
  }

  /** The same with the reason. */
  void health(Context context) {
    Optional<String> trouble = health.trouble();
    Map<String, Object> answer = new LinkedHashMap<>();
    answer.put("ready", trouble.isEmpty());
    trouble.ifPresent(sentence -> answer.put("trouble", sentence));
    answer(context, answer);
  }

  void logs(Context context) {
    List<Map<String, Object>> logs = new ArrayList<>();
    try (EventSource.View view = source.open()) {
      for (EventSource.LogInfo log : view.logs()) {
        Map<String, Object> entry = new LinkedHashMap<>();
        entry.put("name", log.name());
        entry.put("events", log.eventCount());
        entry.put("variables", log.variables());
        logs.add(entry);
      }
    }
    answer(context, Map.of("logs", logs));
  }

  void nodes(Context context) {
    List<Map<String, Object>> nodes = new ArrayList<>();
    try (EventSource.View view = source.open()) {
      for (EventSource.NodeInfo node : view.nodes()) {
        Map<String, Object> entry = new LinkedHashMap<>();
        entry.put("name", node.name());
        entry.put("events", node.eventCount());
        entry.put("firstHlc", HlcTimestamp.text(node.firstHlc()));
        entry.put("lastHlc", HlcTimestamp.text(node.lastHlc()));
        entry.put("incarnations", incarnations(node.name()));
        nodes.add(entry);
      }
    }
    Map<String, Object> answer = new LinkedHashMap<>();
    Watermark watermark = watermarks.current();
    answer.put("nodes", nodes);
    answer.put("watermark", HlcTimestamp.text(watermark.hlc()));
    answer.put("missing", watermark.missing());
    answer.put("quarantined", store.figures().quarantinedCount());
    answer.put("lost", store.figures().lostEventCount());
    answer(context, answer);
  }

  private List<Map<String, Object>> incarnations(String node) {
    List<Map<String, Object>> all = new ArrayList<>();
    for (LaneStatus lane : watermarks.lanes()) {
      if (lane.incarnation().name().node().equals(node)) {
        Map<String, Object> entry = new LinkedHashMap<>();
        entry.put("incarnation", lane.incarnation().name().incarnation());
        entry.put("state", lane.ended() ? "ended" : lane.counts() ? "live" : "silent");
        if (lane.incarnation().frontier() != EventBlock.NO_HEARTBEAT) {
          entry.put("frontier", HlcTimestamp.text(lane.incarnation().frontier()));
        }
        entry.put("missingBlocks", lane.incarnation().gapCount());
        all.add(entry);
      }
    }
    return all;
  }

  void alignment(Context context) {
    Map<String, Object> answer = new LinkedHashMap<>();
    try (EventSource.View view = source.open()) {
      ClockOffsets clocks = view.clockOffsets();
      clocks.referenceNode().ifPresent(node -> answer.put("driverNode", node));
      answer.put(
          "nodes",
          AlignmentTable.rows(clocks).stream()
              .map(row -> new RawValue(RowJson.text(AlignmentTable.COLUMNS, row)))
              .toList());
    }
    answer(context, answer);
  }

  void metrics(Context context, Counters counters, int queries, int streams) {
    EventStore.Figures figures = store.figures();
    Watermark watermark = watermarks.current();
    MetricsText text = new MetricsText();
    Optional<KafkaIngest.Figures> topic = kafka.map(KafkaIngest::figures);
    text.counter(
        "events_accepted_total",
        "Events stored",
        counters.acceptedEvents.sum() + topic.map(KafkaIngest.Figures::acceptedCount).orElse(0L));
    text.counter(
        "events_duplicate_total",
        "Events sent again and skipped",
        counters.duplicateEvents.sum() + topic.map(KafkaIngest.Figures::duplicateCount).orElse(0L));
    text.counter("batches_refused_total", "Batches refused", counters.refusedBatches.sum());
    text.counter("queries_total", "Historical queries begun", counters.queries.sum());
    text.counter("streams_total", "Live queries begun", counters.streams.sum());
    text.counter("rows_total", "Rows found", counters.rows.sum());
    text.gauge("queries_running", "Historical queries that run", queries);
    text.gauge("streams_running", "Live queries that run", streams);
    text.gauge("blocks", "Blocks stored", figures.blockCount());
    text.gauge(
        "events_quarantined",
        "Events kept aside, stamped too far in the future",
        figures.quarantinedCount());
    text.gauge("events_lost", "Events that senders declared lost", figures.lostEventCount());
    text.gauge("submissions_waiting", "Submissions that wait to be stored", figures.waitingCount());
    text.gauge("store_file_bytes", "Size of the store's sorted files", figures.fileBytes());
    text.gauge(
        "block_cache_bytes", "Memory of the blocks that are kept there", figures.cachedBytes());
    text.gauge(
        "blocks_damaged", "Blocks left out as damaged, found so far", figures.damagedBlockCount());
    text.gauge("ready", "1 while the server is ready", health.trouble().isEmpty() ? 1 : 0);
    text.gauge("nodes_missing", "Nodes left out as silent", watermark.missing().size());
    if (watermark.hlc() != HlcTimestamp.MIN_PACKED) {
      text.gauge(
          "watermark_lag_micros",
          "How far the watermark is behind the server's clock",
          clock.micros() - HlcTimestamp.micros(watermark.hlc()));
    }
    topic.ifPresent(read -> kafkaMetrics(read, text));
    context.contentType("text/plain; version=0.0.4; charset=utf-8").result(text.toString());
  }

  private void kafkaMetrics(KafkaIngest.Figures topic, MetricsText text) {
    text.counter("kafka_records_total", "Records read", topic.readRecordCount());
    text.counter("kafka_bytes_total", "Bytes of the records' values", topic.readBytes());
    text.counter(
        "kafka_records_foreign_total",
        "Records passed over: no blocks of events",
        topic.foreignRecordCount());
    text.counter(
        "kafka_records_refused_total",
        "Records kept aside: damaged, or they contradict what is stored",
        topic.refusedRecordCount());
    text.gauge("kafka_partitions", "Partitions that are read", topic.partitionCount());
    text.gauge("kafka_lag_records", "Records that wait to be read", topic.lagRecordCount());
    topic
        .lagMicros()
        .ifPresent(
            micros ->
                text.gauge(
                    "kafka_lag_micros",
                    "How long ago all that was in the topic was stored",
                    micros));
    boolean troubled = kafka.flatMap(KafkaIngest::trouble).isPresent();
    text.gauge("kafka_trouble", "1 while the topic cannot be read", troubled ? 1 : 0);
  }

  private void answer(Context context, Map<String, Object> content) {
    context.contentType("application/json").result(json.writeValueAsString(content));
  }
}
