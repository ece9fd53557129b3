// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.otelagent;

import io.opentelemetry.sdk.autoconfigure.spi.AutoConfigurationCustomizer;
import io.opentelemetry.sdk.autoconfigure.spi.AutoConfigurationCustomizerProvider;
import io.retroscope.instrumentation.opentelemetry.HlcLogRecordProcessor;
import io.retroscope.instrumentation.opentelemetry.HlcSpanProcessor;

/**
 * The automatic configuration, which adds both processors with the application's clock.
 * Thread-safe.
 */
public final class HlcAgentConfiguration implements AutoConfigurationCustomizerProvider {
  @Override
  public void customize(AutoConfigurationCustomizer customizer) {
    customizer.addTracerProviderCustomizer(
        (builder, settings) ->
            builder.addSpanProcessorFirst(new HlcSpanProcessor(ApplicationClock.under(settings))));
    customizer.addLoggerProviderCustomizer(
        (builder, settings) ->
            builder.addLogRecordProcessorFirst(
                new HlcLogRecordProcessor(ApplicationClock.under(settings))));
  }
}
