// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.opentelemetry;

import io.opentelemetry.context.propagation.TextMapPropagator;
import io.opentelemetry.sdk.autoconfigure.spi.ConfigProperties;
import io.opentelemetry.sdk.autoconfigure.spi.ConfigurablePropagatorProvider;
import io.retroscope.recorder.Recorder;

/**
 * The provider of {@link HlcPropagator} with the process's shared recorder, under the name {@code
 * hlc}: {@code OTEL_PROPAGATORS=tracecontext,hlc}. Thread-safe.
 */
public final class HlcPropagatorProvider implements ConfigurablePropagatorProvider {
  @Override
  public TextMapPropagator getPropagator(ConfigProperties settings) {
    return new HlcPropagator(Recorder.shared());
  }

  @Override
  public String getName() {
    return "hlc";
  }
}
