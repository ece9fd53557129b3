// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.opentelemetry;

import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.logs.LogRecordProcessor;
import io.opentelemetry.sdk.logs.ReadWriteLogRecord;
import io.retroscope.recorder.Recorder;

/**
 * A processor that adds the stamp of its emission to every log record. Thread-safe. Add it before
 * the exporting processor.
 */
public final class HlcLogRecordProcessor implements LogRecordProcessor {
  private final NodeClock clock;

  /** A processor that stamps with the recorder's clock. */
  public HlcLogRecordProcessor(Recorder recorder) {
    this(NodeClock.of(recorder));
  }

  /** A processor that stamps with a clock. */
  public HlcLogRecordProcessor(NodeClock clock) {
    this.clock = clock;
  }

  @Override
  public void onEmit(Context context, ReadWriteLogRecord record) {
    String stamp = clock.tick();
    if (!stamp.isEmpty()) {
      record.setAttribute(HlcAttributes.HLC, stamp);
    }
  }
}
