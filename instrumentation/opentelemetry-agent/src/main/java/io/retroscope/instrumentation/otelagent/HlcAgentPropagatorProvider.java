// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.otelagent;

import io.opentelemetry.context.propagation.TextMapPropagator;
import io.opentelemetry.sdk.autoconfigure.spi.ConfigProperties;
import io.opentelemetry.sdk.autoconfigure.spi.ConfigurablePropagatorProvider;
import io.retroscope.instrumentation.opentelemetry.HlcPropagator;

/** The provider of the propagator {@code hlc} with the application's clock. Thread-safe. */
public final class HlcAgentPropagatorProvider implements ConfigurablePropagatorProvider {
  @Override
  public TextMapPropagator getPropagator(ConfigProperties settings) {
    return new HlcPropagator(ApplicationClock.under(settings));
  }

  @Override
  public String getName() {
    return "hlc";
  }
}
