// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.ingest;

/** A kind of telemetry of the OpenTelemetry protocol. */
public enum OtlpSignal {
  /** Log records, each a line of the log {@code app}. */
  LOGS("app"),
  /** Spans, each a line of the log {@code spans} at the start of the span. */
  SPANS("spans");

  private final String log;

  OtlpSignal(String log) {
    this.log = log;
  }

  /** The log to which its events belong. */
  String log() {
    return log;
  }
}
