// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.opentelemetry;

import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.trace.ReadWriteSpan;
import io.opentelemetry.sdk.trace.ReadableSpan;
import io.opentelemetry.sdk.trace.SpanProcessor;
import io.retroscope.recorder.Recorder;

/**
 * A processor that adds the stamp of its start to every span, so that the cut at that instant can
 * be queried. Thread-safe.
 */
public final class HlcSpanProcessor implements SpanProcessor {
  private final NodeClock clock;

  /** A processor that stamps with the recorder's clock. */
  public HlcSpanProcessor(Recorder recorder) {
    this(NodeClock.of(recorder));
  }

  /** A processor that stamps with a clock. */
  public HlcSpanProcessor(NodeClock clock) {
    this.clock = clock;
  }

  @Override
  public void onStart(Context parent, ReadWriteSpan span) {
    String stamp = clock.tick();
    if (!stamp.isEmpty()) {
      span.setAttribute(HlcAttributes.HLC, stamp);
    }
  }

  @Override
  public boolean isStartRequired() {
    return true;
  }

  @Override
  public void onEnd(ReadableSpan span) {}

  @Override
  public boolean isEndRequired() {
    return false;
  }
}
