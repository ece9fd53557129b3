// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.opentelemetry;

import io.opentelemetry.api.common.AttributeKey;

/** The attribute with a stamp, {@code <micros>.<logical>}. Immutable. */
public final class HlcAttributes {
  /** On a span: the stamp of its start. On a log record: the stamp of its emission. */
  public static final AttributeKey<String> HLC = AttributeKey.stringKey("hlc");

  private HlcAttributes() {}
}
