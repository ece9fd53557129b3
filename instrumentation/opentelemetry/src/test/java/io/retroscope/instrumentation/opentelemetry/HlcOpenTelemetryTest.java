// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.opentelemetry;

import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.propagation.TextMapGetter;
import io.opentelemetry.context.propagation.TextMapPropagator;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.autoconfigure.AutoConfiguredOpenTelemetrySdk;
import io.opentelemetry.sdk.logs.export.SimpleLogRecordProcessor;
import io.opentelemetry.sdk.testing.exporter.InMemoryLogRecordExporter;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.context.HlcContext;
import io.retroscope.recorder.Recorder;
import io.retroscope.sink.MemorySink;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests with a real SDK that discovers the propagator and the processors itself. */
class HlcOpenTelemetryTest {
  private static final TextMapGetter<Map<String, String>> MAP =
      new TextMapGetter<>() {
        @Override
        @SuppressWarnings("deprecation") // still abstract
        public Iterable<String> keys(Map<String, String> carrier) {
          return carrier.keySet();
        }

        @Override
        public @Nullable String get(@Nullable Map<String, String> carrier, String key) {
          return carrier == null ? null : carrier.get(key);
        }
      };

  private final Recorder recorder =
      Recorder.builder().node("svc").sink(new MemorySink()).build().share();
  private final InMemorySpanExporter spans = InMemorySpanExporter.create();
  private final InMemoryLogRecordExporter records = InMemoryLogRecordExporter.create();
  private OpenTelemetrySdk sdk;

  @BeforeEach
  void start() {
    sdk =
        AutoConfiguredOpenTelemetrySdk.builder()
            .addPropertiesSupplier(
                () ->
                    Map.of(
                        "otel.propagators", "tracecontext,hlc",
                        "otel.traces.exporter", "none",
                        "otel.metrics.exporter", "none",
                        "otel.logs.exporter", "none"))
            .addTracerProviderCustomizer(
                (builder, settings) -> builder.addSpanProcessor(SimpleSpanProcessor.create(spans)))
            .addLoggerProviderCustomizer(
                (builder, settings) ->
                    builder.addLogRecordProcessor(SimpleLogRecordProcessor.create(records)))
            .build()
            .getOpenTelemetrySdk();
  }

  @AfterEach
  void stop() {
    sdk.close();
    recorder.close();
  }

  @Test
  void inject_putsTheClockBesideTheTraceContext() {
    Map<String, String> headers = new HashMap<>();
    Span span = sdk.getTracer("test").spanBuilder("call").startSpan();

    propagator().inject(Context.root().with(span), headers, Map::put);

    assertThat(headers).containsKeys("traceparent", "x-hlc");
    assertThat(recorder.tick()).isGreaterThan(HlcContext.parse(headers.get("x-hlc")).orElseThrow());
  }

  @Test
  void extract_stampAhead_movesTheClock() {
    long ahead = HlcTimestamp.pack(HlcTimestamp.micros(recorder.tick()) + 2_000_000);

    propagator().extract(Context.root(), Map.of("x-hlc", HlcTimestamp.text(ahead)), MAP);

    assertThat(recorder.tick()).isGreaterThan(ahead);
  }

  @Test
  void extract_atTheEdge_doesNotMoveTheClock() {
    try (Recorder edge =
        Recorder.builder().node("edge").sink(new MemorySink()).trustRemote(false).build()) {
      long ahead = HlcTimestamp.pack(HlcTimestamp.micros(edge.tick()) + 2_000_000);

      new HlcPropagator(edge)
          .extract(Context.root(), Map.of("x-hlc", HlcTimestamp.text(ahead)), MAP);

      assertThat(edge.tick()).isLessThan(ahead);
      assertThat(edge.statistics().untrusted()).isEqualTo(1);
    }
  }

  @Test
  void extract_noCarrierOrUnreadableStamp_changesNothing() {
    assertThat(propagator().extract(Context.root(), null, MAP)).isSameAs(Context.root());
    assertThat(propagator().extract(Context.root(), Map.of("x-hlc", "soon"), MAP))
        .isSameAs(Context.root());
  }

  @Test
  void span_carriesTheStampOfItsStart() {
    long before = recorder.tick();
    sdk.getTracer("test").spanBuilder("work").startSpan().end();
    long after = recorder.tick();

    String stamp = spans.getFinishedSpanItems().get(0).getAttributes().get(HlcAttributes.HLC);

    assertThat(HlcContext.parse(stamp).orElseThrow()).isStrictlyBetween(before, after);
  }

  @Test
  void logRecord_carriesTheStampOfItsEmission() {
    long before = recorder.tick();
    sdk.getLogsBridge().get("test").logRecordBuilder().setBody("hello").emit();
    long after = recorder.tick();

    String stamp =
        records.getFinishedLogRecordItems().get(0).getAttributes().get(HlcAttributes.HLC);

    assertThat(HlcContext.parse(stamp).orElseThrow()).isStrictlyBetween(before, after);
  }

  private TextMapPropagator propagator() {
    return sdk.getPropagators().getTextMapPropagator();
  }
}
