// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.opentelemetry;

import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.propagation.ContextPropagators;
import io.opentelemetry.context.propagation.TextMapPropagator;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.retroscope.recorder.Recorder;

/** The code of the module's README, which a test looks up here. */
final class ReadmeSample {
  private ReadmeSample() {}

  static SdkTracerProvider provider(Recorder recorder) {
    return SdkTracerProvider.builder().addSpanProcessor(new HlcSpanProcessor(recorder)).build();
  }

  static ContextPropagators propagators(Recorder recorder) {
    return ContextPropagators.create(
        TextMapPropagator.composite(
            W3CTraceContextPropagator.getInstance(), new HlcPropagator(recorder)));
  }
}
