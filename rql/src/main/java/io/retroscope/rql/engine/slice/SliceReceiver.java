// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine.slice;

/** The receiver of the items of all slices, in order. Used by the query's own thread. */
public interface SliceReceiver {
  /** Takes the next item; returns whether more are wanted. */
  boolean take(SliceItem item);

  /** Returns whether no more items are wanted. */
  boolean isCancelled();
}
