// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.opentelemetry;

import io.opentelemetry.sdk.autoconfigure.spi.AutoConfigurationCustomizer;
import io.opentelemetry.sdk.autoconfigure.spi.AutoConfigurationCustomizerProvider;
import io.retroscope.recorder.Recorder;

/**
 * The automatic configuration, which adds both processors, with the process's shared recorder,
 * before the SDK's exporters, because these would otherwise see records without their stamps.
 * Thread-safe.
 */
public final class HlcAutoConfiguration implements AutoConfigurationCustomizerProvider {
  @Override
  public void customize(AutoConfigurationCustomizer customizer) {
    customizer.addTracerProviderCustomizer(
        (builder, settings) ->
            builder.addSpanProcessorFirst(new HlcSpanProcessor(Recorder.shared())));
    customizer.addLoggerProviderCustomizer(
        (builder, settings) ->
            builder.addLogRecordProcessorFirst(new HlcLogRecordProcessor(Recorder.shared())));
  }
}
