// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.app;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.clock.PhysicalClock;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.EventSource.Overlap;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.server.alert.AlertService;
import io.retroscope.server.cluster.Cluster;
import io.retroscope.server.health.Health;
import io.retroscope.server.health.ThreadWatch;
import io.retroscope.server.kafka.KafkaIngest;
import io.retroscope.server.live.WatermarkTracker;
import io.retroscope.server.memory.MemoryBudget;
import io.retroscope.server.metrics.Metrics;
import io.retroscope.server.metrics.Reading;
import io.retroscope.server.store.EventStore;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

/** The export of the readings of a server's parts as metrics. Thread-safe. */
record ServerReadings(Metrics metrics) {
  void show(EventStore store) {
    showStores(() -> List.of(store.figures()));
    show(store.memory());
    metrics.show(Reading.BLOCKS_FORGOTTEN_REFUSED, () -> store.figures().refusedCount());
    metrics.show(Reading.LOSSES, () -> store.losses().size());
    metrics.show(Reading.INPUTS_REJECTED, () -> store.rejected().rejectedCount());
    metrics.show(Reading.STORE_WRITABLE, () -> store.writeTrouble().isEmpty() ? 1 : 0);
  }

  /** The readings of all stores here together, which are on one disk. */
  void showStores(Supplier<List<EventStore.Figures>> stores) {
    showSum(Reading.BLOCKS, stores, EventStore.Figures::blockCount);
    showSum(
        Reading.BLOCKS_UNSEALED,
        stores,
        figures -> figures.blockCount() - figures.sealedBlockCount());
    showSum(Reading.EVENTS_QUARANTINED, stores, EventStore.Figures::quarantinedCount);
    showSum(Reading.EVENTS_LOST, stores, EventStore.Figures::lostEventCount);
    showSum(Reading.SUBMISSIONS_WAITING, stores, EventStore.Figures::waitingCount);
    showSum(Reading.SUBMISSIONS_WAITING_BYTES, stores, EventStore.Figures::waitingBytes);
    showSum(Reading.STORE_FILE_BYTES, stores, EventStore.Figures::fileBytes);
    showSum(Reading.BLOCK_CACHE_BYTES, stores, EventStore.Figures::cachedBytes);
    showSum(Reading.BLOCKS_DAMAGED, stores, EventStore.Figures::damagedBlockCount);
    metrics.show(
        Reading.DISK_FREE_BYTES,
        () ->
            stores.get().stream()
                .mapToDouble(EventStore.Figures::freeBytes)
                .min()
                .orElse(Double.NaN));
  }

  private void showSum(
      Reading reading,
      Supplier<List<EventStore.Figures>> stores,
      ToDoubleFunction<EventStore.Figures> value) {
    metrics.show(reading, () -> stores.get().stream().mapToDouble(value).sum());
  }

  void show(MemoryBudget memory) {
    metrics.show(Reading.MEMORY_USED_BYTES, memory::usedBytes);
    metrics.show(Reading.MEMORY_LIMIT_BYTES, memory::totalBytes);
    metrics.show(Reading.MEMORY_REFUSED, memory::refusedCount);
  }

  void show(Cluster cluster) {
    metrics.show(Reading.CLUSTER_PARTITIONS, () -> cluster.here().owned().size());
    metrics.show(Reading.CLUSTER_COPIES, () -> cluster.here().copies().size());
    metrics.show(
        Reading.CLUSTER_PARTITIONS_HOLDING, () -> cluster.watermarks().holdingInflows().size());
    metrics.show(Reading.CLUSTER_LAG_RECORDS, cluster::lagRecords);
    metrics.show(Reading.LOSSES, () -> cluster.losses().size());
    metrics.show(Reading.INPUTS_REJECTED, cluster::rejectedCount);
    metrics.show(Reading.STORE_WRITABLE, () -> cluster.writeTrouble().isEmpty() ? 1 : 0);
    metrics.show(Reading.THREADS_ENDED, cluster::endedThreadCount);
    showStores(cluster::storeFigures);
  }

  void show(Health health) {
    metrics.show(Reading.READY, () -> health.trouble().isEmpty() ? 1 : 0);
  }

  void show(Health health, ThreadWatch threads) {
    show(health);
    metrics.show(Reading.THREADS_ENDED, threads::endedCount);
  }

  void show(WatermarkTracker watermarks, PhysicalClock clock) {
    metrics.show(Reading.NODES, watermarks::countingNodeCount);
    metrics.show(Reading.NODES_MISSING, () -> watermarks.current().missing().size());
    metrics.show(
        Reading.WATERMARK_LAG_SECONDS,
        () -> {
          long hlc = watermarks.current().hlc();
          return hlc == HlcTimestamp.MIN_PACKED
              ? Double.NaN
              : seconds(clock.micros() - HlcTimestamp.micros(hlc));
        });
    metrics.show(Reading.WATERMARK_HELD_SECONDS, () -> seconds(watermarks.heldMicros()));
  }

  /**
   * @param alerts empty while they are evaluated elsewhere
   */
  void show(Supplier<Optional<AlertService>> alerts) {
    show(Reading.ALERTS, alerts, AlertService::alertCount);
    show(Reading.ALERTS_FIRING, alerts, AlertService::firingCount);
    show(Reading.ALERTS_DOUBTFUL, alerts, AlertService::doubtfulCount);
    show(Reading.NOTICES_WAITING, alerts, AlertService::waitingCount);
    show(Reading.NOTICES_SENT, alerts, AlertService::sentCount);
    show(Reading.NOTICES_FAILED, alerts, AlertService::failedCount);
    show(Reading.NOTICES_DROPPED, alerts, AlertService::droppedCount);
  }

  private void show(
      Reading reading,
      Supplier<Optional<AlertService>> alerts,
      ToDoubleFunction<AlertService> value) {
    metrics.show(reading, () -> alerts.get().map(value::applyAsDouble).orElse(0.0));
  }

  void show(EventSource source) {
    metrics.show(
        Reading.NODES_OVERLAPPING,
        () -> {
          try (EventSource.View view = source.open()) {
            return view.overlaps(HlcRange.ALL).stream().map(Overlap::node).distinct().count();
          }
        });
  }

  void show(KafkaIngest kafka) {
    show(Reading.KAFKA_RECORDS, kafka, KafkaIngest.Figures::readRecordCount);
    show(Reading.KAFKA_READ_BYTES, kafka, KafkaIngest.Figures::readBytes);
    show(Reading.KAFKA_RECORDS_FOREIGN, kafka, KafkaIngest.Figures::foreignRecordCount);
    show(Reading.KAFKA_RECORDS_REFUSED, kafka, KafkaIngest.Figures::refusedRecordCount);
    show(Reading.KAFKA_PARTITIONS, kafka, KafkaIngest.Figures::partitionCount);
    show(Reading.KAFKA_LAG_RECORDS, kafka, KafkaIngest.Figures::lagRecordCount);
    show(
        Reading.KAFKA_LAG_SECONDS,
        kafka,
        figures -> figures.lagMicros().map(ServerReadings::seconds).orElse(Double.NaN));
    metrics.show(Reading.KAFKA_TROUBLE, () -> kafka.trouble().isPresent() ? 1 : 0);
  }

  private void show(
      Reading reading, KafkaIngest kafka, ToDoubleFunction<KafkaIngest.Figures> value) {
    metrics.show(reading, () -> value.applyAsDouble(kafka.figures()));
  }

  private static double seconds(long micros) {
    return (double) micros / TimeUnit.SECONDS.toMicros(1);
  }
}
