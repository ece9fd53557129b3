// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine.slice;

import io.retroscope.rql.engine.completeness.ValuedNodes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The receiver of the items of one slice, which passes them on in batches. Used by the thread that
 * walks the slice.
 */
abstract class SliceFeed {
  private static final int MAX_BATCH = 256;
  static final long MAX_BATCH_BYTES = 64 << 10;

  private List<SliceItem> batch = new ArrayList<>();
  private long batchBytes;

  /** The last nodes that were counted in {@link #batchBytes}; most items share them. */
  private @Nullable Set<String> counted;

  /** Passes on an item. */
  void add(SliceItem item) {
    if (!batch.isEmpty() && isContinued(item)) {
      return;
    }
    batch.add(item);
    batchBytes += item.bytes() + bytesOfNodes(item);
    if (batch.size() >= MAX_BATCH || batchBytes >= MAX_BATCH_BYTES || isAwaited()) {
      flush();
    }
  }

  private long bytesOfNodes(SliceItem item) {
    if (!(item instanceof SliceItem.OfCut cut) || cut.valued() == counted) {
      return 0;
    }
    counted = cut.valued();
    return ValuedNodes.bytes(counted);
  }

  /** Joins cuts at which WHEN still holds, as long as the query uses values of the same nodes. */
  private boolean isContinued(SliceItem item) {
    int last = batch.size() - 1;
    if (item instanceof SliceItem.StillHolds more
        && batch.get(last) instanceof SliceItem.StillHolds before
        && before.valued() == more.valued()) {
      long cuts = before.cuts() + more.cuts();
      batch.set(last, new SliceItem.StillHolds(more.hlc(), cuts, more.valued()));
      return true;
    }
    return false;
  }

  /** Passes on progress, and everything before it. */
  void progress(SliceItem.Progress item) {
    add(item);
    flush();
  }

  /** Passes on everything. */
  void flush() {
    if (!batch.isEmpty()) {
      List<SliceItem> full = batch;
      long bytes = batchBytes;
      batch = new ArrayList<>();
      batchBytes = 0;
      counted = null;
      pass(full, bytes);
    }
  }

  /** Passes items to the query's thread; may wait until it has taken others. */
  abstract void pass(List<SliceItem> items, long bytes);

  /** Whether the query's thread waits for the next item. */
  abstract boolean isAwaited();

  /**
   * Whether the rest of the slice is not wanted; the query's own thread has its receiver for that.
   */
  abstract boolean isCancelled();

  /** Whether it is known that the rest of the slice is not wanted. */
  abstract boolean isStopped();
}
