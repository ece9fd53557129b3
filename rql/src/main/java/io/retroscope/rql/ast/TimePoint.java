// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.ast;

import io.retroscope.rql.diagnostic.SourceRange;

/** A point in time. */
public sealed interface TimePoint extends Node {
  /** Calls the visitor's method for this form. */
  <R> R accept(Visitor<R> visitor);

  /** An operation on the forms of a point in time, with one method for each. */
  interface Visitor<R> {
    R iso(Iso iso);

    R hlc(Hlc hlc);

    R now(Now now);
  }

  /**
   * The form {@code '2026-11-21T10:00:00Z'}.
   *
   * @param text as written between the quotes, for the formatter
   * @param micros since the Unix epoch
   */
  record Iso(String text, long micros, SourceRange range) implements TimePoint {
    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.iso(this);
    }
  }

  /** The form {@code hlc'<micros>.<logical>'}. */
  record Hlc(long packed, SourceRange range) implements TimePoint {
    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.hlc(this);
    }
  }

  /**
   * The form {@code NOW} or {@code NOW - d}.
   *
   * @param minusMicros 0 for plain NOW
   */
  record Now(long minusMicros, SourceRange range) implements TimePoint {
    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.now(this);
    }
  }
}
