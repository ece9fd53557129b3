package io.retroscope.rql.engine;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The items of one slice, from the thread that walks it to the query's own thread, in order. The
 * methods {@link #add}, {@link #progress}, {@link #isCancelled} and {@link #isStopped} are used by
 * the walking thread, the others with the lock of the history.
 */
abstract class SliceFeed {
  private static final int MAX_BATCH = 256;
  static final long MAX_BATCH_BYTES = 64 << 10;

  private List<SliceItem> batch = new ArrayList<>();
  private long batchBytes;
  private List<SliceItem> ready = new ArrayList<>();
  private long readyBytes;
  private boolean isClaimed;
  private boolean isDone;
  private @Nullable Throwable failure;

  /** Passes on an item. */
  void add(SliceItem item) {
    if (!batch.isEmpty() && isContinued(item)) {
      return;
    }
    batch.add(item);
    batchBytes += item.bytes();
    if (batch.size() >= MAX_BATCH || batchBytes >= MAX_BATCH_BYTES || isAwaited()) {
      flush();
    }
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
      pass(full, bytes);
    }
  }

  /** Passes items to the query's thread; may wait until it has taken others. */
  abstract void pass(List<SliceItem> items, long bytes);

  /** Whether the query's thread waits for the next item. */
  abstract boolean isAwaited();

  /** Whether the rest of the slice is not wanted; the query's own thread asks its receiver. */
  abstract boolean isCancelled();

  /** Whether it is known that the rest of the slice is not wanted. */
  abstract boolean isStopped();

  void put(List<SliceItem> items, long bytes) {
    ready.addAll(items);
    readyBytes += bytes;
  }

  /** The bytes of the items that wait. */
  long readyBytes() {
    return readyBytes;
  }

  /** Takes all items that wait. */
  List<SliceItem> take() {
    List<SliceItem> taken = ready;
    ready = new ArrayList<>();
    readyBytes = 0;
    return taken;
  }

  boolean isClaimed() {
    return isClaimed;
  }

  void claim() {
    isClaimed = true;
  }

  /** Whether no more items follow. */
  boolean isDone() {
    return isDone;
  }

  /**
   * Ends the items.
   *
   * @param reason why the slice could not be walked to its end; null if it was
   */
  void done(@Nullable Throwable reason) {
    isDone = true;
    failure = reason;
  }

  @Nullable Throwable failure() {
    return failure;
  }
}
