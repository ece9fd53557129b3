package io.retroscope.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
