// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.ingest;

import io.retroscope.recordings.document.SpanTimeline;

/** A kind of telemetry of the OpenTelemetry protocol. */
public enum OtlpSignal {
  /** Log records, each a line of the log {@code app}. */
  LOGS("app"),
  /** Spans, each with lines of the log {@code spans} at its start and its end. */
  SPANS(SpanTimeline.LOG);

  private final String log;

  OtlpSignal(String log) {
    this.log = log;
  }

  /** The log to which its events belong. */
  String log() {
    return log;
  }
}
