// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.ast;

import io.retroscope.rql.diagnostic.SourceRange;

/** The clause ON TIME in its three forms. */
public sealed interface OnTime extends Node {
  /** Calls the visitor's method for this form. */
  <R> R accept(Visitor<R> visitor);

  /** An operation on the forms of ON TIME, with one method for each. */
  interface Visitor<R> {
    R at(At at);

    R between(Between between);

    R last(Last last);
  }

  /** The form {@code ON TIME p}: one cut, or the start of a STREAM. */
  record At(TimePoint point, SourceRange range) implements OnTime {
    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.at(this);
    }
  }

  /** The form {@code ON TIME p TO q}. */
  record Between(TimePoint from, TimePoint to, SourceRange range) implements OnTime {
    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.between(this);
    }
  }

  /** The form {@code ON TIME LAST d}. */
  record Last(long micros, SourceRange range) implements OnTime {
    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.last(this);
    }
  }
}
