// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recordings.document;

import java.util.Locale;

/** The role of a span, with the numbers of the OpenTelemetry protocol in this order. */
public enum SpanKind {
  /** The producer of the span did not say. */
  UNSPECIFIED,
  /** An operation within a service. */
  INTERNAL,
  /** The work for a request from another service. */
  SERVER,
  /** A request to another service, until its response. */
  CLIENT,
  /** The sending of a message that has no answer. */
  PRODUCER,
  /** The work for such a message. */
  CONSUMER;

  private static final String PREFIX = "SPAN_KIND_";

  /** The kind of a number; unspecified if it is unknown. */
  public static SpanKind of(int number) {
    return number >= 0 && number < values().length ? values()[number] : UNSPECIFIED;
  }

  /** The kind of a name, in any case and with OpenTelemetry's prefix or without. */
  static SpanKind of(String name, SpanKind otherwise) {
    String upper = name.toUpperCase(Locale.ROOT);
    String plain = upper.startsWith(PREFIX) ? upper.substring(PREFIX.length()) : upper;
    for (SpanKind kind : values()) {
      if (kind.name().equals(plain)) {
        return kind;
      }
    }
    return otherwise;
  }
}
