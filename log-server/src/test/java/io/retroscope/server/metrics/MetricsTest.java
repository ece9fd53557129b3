// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class MetricsTest {
  private final AtomicLong nanos = new AtomicLong();
  private final Metrics metrics = new Metrics(nanos::get);

  @Test
  void text_countNeverAddedTo_isZero() {
    assertThat(metrics.text())
        .contains("# TYPE retroscope_queries_total counter\nretroscope_queries_total 0.0\n");
  }

  @Test
  void time_workThatFails_isRecordedInItsBucket() {
    assertThatThrownBy(
            () ->
                metrics.time(
                    Latency.FSYNC,
                    () -> {
                      nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(15));
                      throw new IllegalStateException("no sync today");
                    }))
        .isInstanceOf(IllegalStateException.class);
    assertThat(metrics.text())
        .contains(
            "retroscope_fsync_seconds_bucket{le=\"0.01\"} 0\n",
            "retroscope_fsync_seconds_bucket{le=\"0.02\"} 1\n",
            "retroscope_fsync_seconds_sum 0.015\n");
  }

  @Test
  void time_resultThatFails_isRecorded() {
    assertThatThrownBy(
            () ->
                metrics.<String>time(
                    Latency.INGEST,
                    () -> {
                      nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(3));
                      throw new IllegalStateException("no result today");
                    }))
        .isInstanceOf(IllegalStateException.class);
    String done = metrics.time(Latency.INGEST, () -> "done");
    assertThat(done).isEqualTo("done");
    assertThat(metrics.text())
        .contains("retroscope_ingest_seconds_count 2\n", "retroscope_ingest_seconds_sum 0.003\n");
  }

  @Test
  void timeUntilDone_workThatFailsOrDoesNotBegin_isRecorded() {
    CompletableFuture<String> later = new CompletableFuture<>();
    CompletableFuture<String> timed = metrics.timeUntilDone(Latency.INGEST, () -> later);
    nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(3));
    assertThat(later.completeExceptionally(new IllegalStateException("no result today"))).isTrue();
    assertThat(timed).isCompletedExceptionally();
    assertThatThrownBy(
            () ->
                metrics.<String>timeUntilDone(
                    Latency.INGEST,
                    () -> {
                      nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(5));
                      throw new IllegalStateException("no begin today");
                    }))
        .isInstanceOf(IllegalStateException.class);
    assertThat(metrics.text())
        .contains("retroscope_ingest_seconds_count 2\n", "retroscope_ingest_seconds_sum 0.008\n");
  }

  /** As of a row whose node's clock is ahead. */
  @Test
  void record_negativeTime_countsAsNone() {
    metrics.record(Latency.STREAM_LAG, -5);
    assertThat(metrics.text())
        .contains(
            "retroscope_stream_lag_seconds_count 1\n", "retroscope_stream_lag_seconds_sum 0.0\n");
  }

  @Test
  void add_severalAtOnce_areAllCounted() {
    metrics.add(Count.ROWS, 5);
    metrics.increment(Count.ROWS);
    assertThat(metrics.text()).contains("retroscope_rows_total 6.0\n");
  }

  @Test
  void increment_countWithALabel_isCountedByItsValue() {
    metrics.increment(Count.QUOTA_REFUSED, "web");
    metrics.increment(Count.QUOTA_REFUSED, "web");
    metrics.increment(Count.QUOTA_REFUSED, "grafana");
    assertThat(metrics.text())
        .contains(
            "retroscope_quota_refused_total{token=\"web\"} 2.0\n",
            "retroscope_quota_refused_total{token=\"grafana\"} 1.0\n");
  }

  @Test
  void show_reading_isReadAtEachScrape() {
    AtomicLong blocks = new AtomicLong(1);
    metrics.show(Reading.BLOCKS, blocks::get);
    metrics.show(Reading.KAFKA_RECORDS, blocks::get);
    assertThat(metrics.text()).contains("retroscope_blocks 1.0\n");
    blocks.set(2);
    System.gc();
    assertThat(metrics.text())
        .contains("retroscope_blocks 2.0\n", "retroscope_kafka_records_total 2.0\n");
    assertThatThrownBy(() -> metrics.show(Reading.BLOCKS, () -> 0))
        .isInstanceOf(IllegalStateException.class);
  }
}
