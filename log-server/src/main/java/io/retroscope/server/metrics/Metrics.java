// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.metrics;

import static java.util.Objects.requireNonNull;

import io.micrometer.core.instrument.Clock;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.system.FileDescriptorMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.LongStream;

/**
 * The metrics of one server. A new metric is a constant of {@link Count}, {@link Latency} or {@link
 * Reading}, and a row of {@code docs/operating.md}. Thread-safe.
 */
public final class Metrics implements AutoCloseable {
  /** The media type of {@link #text}. */
  public static final String MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8";

  static final String PREFIX = "retroscope_";

  /** Bounds of the histograms' buckets. */
  private static final Duration[] BUCKETS =
      LongStream.of(1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 30_000, 60_000)
          .mapToObj(Duration::ofMillis)
          .toArray(Duration[]::new);

  private final PrometheusMeterRegistry registry;
  private final JvmGcMetrics collections = new JvmGcMetrics();
  private final Map<Count, Counter> counters = new EnumMap<>(Count.class);
  private final Map<Latency, Timer> timers = new EnumMap<>(Latency.class);

  /** The registry holds only weak references. */
  private final Map<Reading, DoubleSupplier> readings = new ConcurrentHashMap<>();

  /**
   * Metrics that are all zero.
   *
   * @param nanos a stopwatch
   */
  public Metrics(LongSupplier nanos) {
    registry =
        new PrometheusMeterRegistry(
            PrometheusConfig.DEFAULT, new PrometheusRegistry(), new Stopwatch(nanos));
    for (Count count : Count.values()) {
      if (count.label().isEmpty()) {
        counters.put(
            count, Counter.builder(count.baseName()).description(count.help()).register(registry));
      }
    }
    for (Latency latency : Latency.values()) {
      timers.put(
          latency,
          Timer.builder(latency.baseName())
              .description(latency.help())
              .serviceLevelObjectives(BUCKETS)
              .register(registry));
    }
  }

  /** Metrics of a part of a server that is used without one; they are never exported. */
  public static Metrics unread() {
    return new Metrics(() -> 0);
  }

  /** Increments a count by one. */
  public void increment(Count count) {
    add(count, 1);
  }

  /** Increases a count by a number, which must not be negative. */
  public void add(Count count, long number) {
    requireNonNull(counters.get(count)).increment((double) number);
  }

  /** Adds one to a count that has a label; its values must be few. */
  public void increment(Count count, String value) {
    Counter.builder(count.baseName())
        .description(count.help())
        .tag(count.label(), value)
        .register(registry)
        .increment();
  }

  /** Records a duration; a negative one as 0. */
  public void record(Latency latency, long nanos) {
    timer(latency).record(Math.max(0, nanos), TimeUnit.NANOSECONDS);
  }

  private Timer timer(Latency latency) {
    return requireNonNull(timers.get(latency));
  }

  /** Runs an action, and records its duration even if it fails. */
  public void time(Latency latency, Runnable work) {
    timer(latency).record(work);
  }

  /** Begins an action, and records its duration once it is done, or has failed to begin. */
  public <T> CompletableFuture<T> timeUntilDone(
      Latency latency, Supplier<CompletableFuture<T>> work) {
    Timer.Sample sample = Timer.start(registry);
    try {
      return work.get().whenComplete((result, failure) -> sample.stop(timer(latency)));
    } catch (RuntimeException e) {
      sample.stop(timer(latency));
      throw e;
    }
  }

  /** Runs an action, and records its duration even if it fails. */
  public <T> T time(Latency latency, Supplier<T> work) {
    Timer.Sample sample = Timer.start(registry);
    try {
      return work.get();
    } finally {
      sample.stop(timer(latency));
    }
  }

  /**
   * Exports a number from now on.
   *
   * @param value read at each scrape, must be quick; NaN while unknown
   */
  public void show(Reading reading, DoubleSupplier value) {
    if (readings.putIfAbsent(reading, value) != null) {
      throw new IllegalStateException(reading + " is shown already");
    }
    if (reading.isCounter()) {
      FunctionCounter.builder(reading.baseName(), value, DoubleSupplier::getAsDouble)
          .description(reading.help())
          .register(registry);
    } else {
      Gauge.builder(reading.baseName(), value, DoubleSupplier::getAsDouble)
          .description(reading.help())
          .register(registry);
    }
  }

  /** Also exports memory, garbage collection, processor, open files and uptime of the process. */
  public void showProcess() {
    new JvmMemoryMetrics().bindTo(registry);
    collections.bindTo(registry);
    new ProcessorMetrics().bindTo(registry);
    new FileDescriptorMetrics().bindTo(registry);
    new UptimeMetrics().bindTo(registry);
  }

  /** All metrics, in Prometheus' text format. */
  public String text() {
    return registry.scrape();
  }

  @Override
  public void close() {
    collections.close();
    registry.close();
  }

  /** Micrometer's clock. It uses only differences of the wall-clock time. */
  private record Stopwatch(LongSupplier nanos) implements Clock {
    @Override
    public long wallTime() {
      return TimeUnit.NANOSECONDS.toMillis(nanos.getAsLong());
    }

    @Override
    public long monotonicTime() {
      return nanos.getAsLong();
    }
  }
}
