// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.opentelemetry;

import io.opentelemetry.context.Context;
import io.opentelemetry.context.propagation.TextMapGetter;
import io.retroscope.contract.CarrierContract;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The contract of carriers, for every message whose headers OpenTelemetry injects and extracts. */
class HlcPropagatorTest extends CarrierContract {
  private static final TextMapGetter<Map<String, String>> MAP =
      new TextMapGetter<>() {
        @Override
        @SuppressWarnings("deprecation") // still abstract
        public Set<String> keys(Map<String, String> carrier) {
          return carrier.keySet();
        }

        @Override
        public @Nullable String get(@Nullable Map<String, String> carrier, String key) {
          return carrier == null ? null : carrier.get(key);
        }
      };

  @Override
  protected void carry() {
    Map<String, String> headers = new HashMap<>();
    new HlcPropagator(sender).inject(Context.root(), headers, Map::put);
    receive(headers);
  }

  @Override
  protected void carryUntraced() {
    receive(Map.of());
  }

  @Override
  protected void carryUnreadable(String stamp) {
    receive(Map.of("x-hlc", stamp));
  }

  private void receive(Map<String, String> headers) {
    Context unused = new HlcPropagator(receiver).extract(Context.root(), headers, MAP);
    arrived();
  }
}
