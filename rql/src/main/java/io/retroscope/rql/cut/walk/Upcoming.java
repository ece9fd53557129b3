// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.cut.walk;

import java.util.Iterator;
import org.jspecify.annotations.Nullable;

/** An iterator with access to its next element. Used by one thread. */
final class Upcoming<T> {
  private final Iterator<T> rest;
  private @Nullable T next;

  Upcoming(Iterator<T> rest) {
    this.rest = rest;
    advance();
  }

  /** The next element; null after the last one. */
  @Nullable T next() {
    return next;
  }

  void advance() {
    next = rest.hasNext() ? rest.next() : null;
  }
}
