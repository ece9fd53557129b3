// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.opentelemetry;

import io.opentelemetry.context.Context;
import io.opentelemetry.context.propagation.TextMapGetter;
import io.opentelemetry.context.propagation.TextMapPropagator;
import io.opentelemetry.context.propagation.TextMapSetter;
import io.retroscope.context.HlcContext;
import io.retroscope.recorder.Recorder;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A propagator of the clock together with OpenTelemetry's trace context: an injection is a send
 * event, an extraction that finds a stamp is a receive event. Thread-safe.
 *
 * <p>A stamp belongs to the process, not to a trace: extraction moves the recorder's clock and does
 * not change the context.
 *
 * <p>An extraction does not know the origin of its carrier, so {@link
 * io.retroscope.recorder.RecorderBuilder#trustRemote} applies to all of them, requests and messages
 * of a queue alike.
 *
 * <p>Each injection, and each extraction that finds a stamp, costs one stamp and one event and
 * waits for nothing. A stamp that cannot be read is treated as absent.
 */
public final class HlcPropagator implements TextMapPropagator {
  private final NodeClock clock;

  /** A propagator of the recorder's clock. */
  public HlcPropagator(Recorder recorder) {
    this(NodeClock.of(recorder));
  }

  /** A propagator of a clock. */
  public HlcPropagator(NodeClock clock) {
    this.clock = clock;
  }

  @Override
  public List<String> fields() {
    return List.of(HlcContext.HEADER);
  }

  @Override
  public <C> void inject(Context context, @Nullable C carrier, TextMapSetter<C> setter) {
    String stamp = clock.send();
    if (!stamp.isEmpty()) {
      setter.set(carrier, HlcContext.HEADER, stamp);
    }
  }

  @Override
  public <C> Context extract(Context context, @Nullable C carrier, TextMapGetter<C> getter) {
    String stamp = getter.get(carrier, HlcContext.HEADER);
    if (stamp != null) {
      clock.receive(stamp);
    }
    return context;
  }
}
