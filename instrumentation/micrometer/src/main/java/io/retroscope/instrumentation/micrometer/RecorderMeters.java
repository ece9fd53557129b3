// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.micrometer;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.retroscope.recorder.Recorder;
import io.retroscope.recorder.RecorderHealth.Status;
import io.retroscope.recorder.RecorderStatistics;
import java.util.function.ToDoubleFunction;

/**
 * The statistics of a recorder as meters named {@code retroscope.recorder.*} with the tag {@code
 * node}: counters since the start of the recorder, and gauges of its current state. A meter reads
 * the statistics when the registry is scraped and costs the service's threads nothing. Thread-safe.
 *
 * <p>Registries refer to the recorder weakly unless the caller keeps it, as they do for all meters.
 */
public final class RecorderMeters implements MeterBinder {
  private static final String PREFIX = "retroscope.recorder.";

  private final Recorder recorder;

  /** Meters of the given recorder. */
  public RecorderMeters(Recorder recorder) {
    this.recorder = recorder;
  }

  @Override
  public void bindTo(MeterRegistry registry) {
    Meters meters = new Meters(registry, recorder);
    meters.bindEvents();
    meters.bindDeliveries();
    meters.bindState();
  }

  /** The meters of one registry. */
  private record Meters(MeterRegistry registry, Recorder recorder) {
    private void bindEvents() {
      counter("recorded", "events passed to the sink", RecorderStatistics::recorded);
      counter("dropped", "events that found the ring full", RecorderStatistics::dropped);
      counter("abandoned", "events not published in time", RecorderStatistics::abandoned);
      counter("refused", "events that could not be recorded", RecorderStatistics::refused);
      counter("truncated", "texts that were truncated", RecorderStatistics::truncated);
      counter("repaired", "dropped values recorded again", RecorderStatistics::repaired);
      counter("unrepaired", "dropped values not recorded again", RecorderStatistics::unrepaired);
      counter("after.close", "events after the close", RecorderStatistics::afterClose);
      counter("missed", "events an integration missed", RecorderStatistics::missed);
      counter("lost.by.error", "events lost by an error", RecorderStatistics::lostByError);
      counter("refused.stamps", "stamps too far ahead", RecorderStatistics::refusedStamps);
      counter("clamped.stamps", "stamps that were clamped", RecorderStatistics::clampedStamps);
      counter("followed.stamps", "stamps beyond the limit", RecorderStatistics::followedStamps);
      counter("untrusted", "requests with untrusted stamps", RecorderStatistics::untrusted);
    }

    private void bindDeliveries() {
      counter("lost.by.sink", "events lost on their way", RecorderStatistics::lostBySink);
      counter("delivered.blocks", "blocks delivered", RecorderStatistics::deliveredBlocks);
      counter("retries", "failed deliveries that are retried", RecorderStatistics::retries);
      counter(
          "refused.blocks", "blocks that the server refused", RecorderStatistics::refusedBlocks);
      counter("bound.failures", "failures to store the bound", RecorderStatistics::boundFailures);
      gauge("waiting", "events", "events in the ring", RecorderStatistics::waiting);
      gauge("waiting.bytes", "bytes", "blocks in memory", RecorderStatistics::waitingBytes);
      gauge("spilled.bytes", "bytes", "blocks on disk", RecorderStatistics::spilledBytes);
    }

    private void bindState() {
      gauge("bound.at.risk", "", "1 if stamps exceed the bound", s -> s.boundAtRisk() ? 1 : 0);
      Gauge.builder(PREFIX + "recording", recorder, Meters::recording)
          .description("1 if events are recorded")
          .tag("node", recorder.node())
          .register(registry);
    }

    private static double recording(Recorder recorder) {
      return recorder.health().status() == Status.NOT_RECORDING ? 0 : 1;
    }

    private void counter(
        String name, String description, ToDoubleFunction<RecorderStatistics> count) {
      FunctionCounter.builder(PREFIX + name, recorder, r -> count.applyAsDouble(r.statistics()))
          .description(description)
          .tag("node", recorder.node())
          .register(registry);
    }

    private void gauge(
        String name, String unit, String description, ToDoubleFunction<RecorderStatistics> value) {
      Gauge.builder(PREFIX + name, recorder, r -> value.applyAsDouble(r.statistics()))
          .description(description)
          .baseUnit(unit.isEmpty() ? null : unit)
          .tag("node", recorder.node())
          .register(registry);
    }
  }
}
