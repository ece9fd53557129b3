// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.memory;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * The memory that a process may use for caches, requests, decoding and queues, in bytes. Callers
 * charge memory before they allocate it; caches are evicted in favour of all other uses.
 * Thread-safe.
 *
 * <p>The budget counts estimates of heap memory and is a share of the heap. The remainder is for
 * uncounted uses, including queries.
 */
public final class MemoryBudget {
  /** The fraction of the heap that the budget covers. */
  private static final int HEAP_SHARE = 2;

  /**
   * The largest fraction of the budget for one charge, so that one request cannot exclude all
   * others.
   */
  private static final int CHARGE_SHARE = 2;

  /* The number of polls in two seconds, the time that Charge.resize waits. */
  private static final int WAIT_POLLS = 200;
  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  private static final MemoryBudget PROCESS =
      new MemoryBudget(Math.max(1, Runtime.getRuntime().maxMemory() / HEAP_SHARE));

  private final long totalBytes;
  private final AtomicLong refusedCount = new AtomicLong();
  private final List<Cache> caches = new CopyOnWriteArrayList<>();
  private long usedBytes;

  /** Memory that can be freed at any time. */
  public interface Cache {
    /**
     * Frees memory, and closes or resizes the charges for it; at least this many bytes if possible.
     */
    void free(long bytes);
  }

  /**
   * A separate budget, for tests and for programs that divide the heap themselves.
   *
   * @param totalBytes at least 1
   */
  public MemoryBudget(long totalBytes) {
    if (totalBytes < 1) {
      throw new IllegalArgumentException("totalBytes=" + totalBytes);
    }
    this.totalBytes = totalBytes;
  }

  /** The budget that everything in this process shares: half of the heap. */
  public static MemoryBudget ofProcess() {
    return PROCESS;
  }

  /** The size of the budget. */
  public long totalBytes() {
    return totalBytes;
  }

  /** The largest size of one charge. */
  public long maxChargeBytes() {
    return Math.max(1, totalBytes / CHARGE_SHARE);
  }

  /** The memory that is charged now. */
  public synchronized long usedBytes() {
    return usedBytes;
  }

  /** The number of refused charges. */
  public long refusedCount() {
    return refusedCount.get();
  }

  /** Registers a cache, which is evicted under pressure from now on. */
  public void add(Cache cache) {
    caches.add(cache);
  }

  /** Removes a cache, which has closed its charges. */
  public void remove(Cache cache) {
    caches.remove(cache);
  }

  /** An empty charge, to be resized. */
  public Charge charge() {
    return new Charge();
  }

  /**
   * Charges memory that is about to be allocated, and waits for it if necessary.
   *
   * @throws OverBudgetException if it does not fit
   */
  public Charge charge(long bytes) {
    Charge charge = new Charge();
    charge.resize(bytes);
    return charge;
  }

  private synchronized boolean reserve(long bytes) {
    if (usedBytes + bytes > totalBytes) {
      return false;
    }
    usedBytes += bytes;
    return true;
  }

  private synchronized void release(long bytes) {
    usedBytes -= bytes;
  }

  private synchronized long lackingBytes(long bytes) {
    return Math.max(0, usedBytes + bytes - totalBytes);
  }

  /**
   * No lock is held while caches free memory, because they use their own lock and release memory
   * here.
   */
  private boolean reserveBeforeCaches(long bytes) {
    if (reserve(bytes)) {
      return true;
    }
    for (Cache cache : caches) {
      cache.free(lackingBytes(bytes));
      if (reserve(bytes)) {
        return true;
      }
    }
    return false;
  }

  /** Polls instead of being notified, because a release may be too small for the waiting charge. */
  private boolean reserveWaiting(long bytes) {
    boolean reserved = reserveBeforeCaches(bytes);
    for (int i = 0; i < WAIT_POLLS && !reserved && !Thread.currentThread().isInterrupted(); i++) {
      LockSupport.parkNanos(this, POLL_NANOS);
      reserved = reserveBeforeCaches(bytes);
    }
    return reserved;
  }

  /** Memory that is counted until the charge is closed. Used by one thread at a time. */
  public final class Charge implements AutoCloseable {
    private long bytes;

    private Charge() {}

    /** The number of counted bytes. */
    public long bytes() {
      return bytes;
    }

    /** The largest number of bytes that may be counted. */
    public long maxBytes() {
      return maxChargeBytes();
    }

    /** Changes the number of bytes if that is possible immediately; otherwise keeps it. */
    public boolean tryResize(long newBytes) {
      long more = newBytes - bytes;
      if (more > 0 && (newBytes > maxChargeBytes() || !reserveBeforeCaches(more))) {
        return false;
      }
      accept(newBytes);
      return true;
    }

    /** As {@link #tryResize}, but without eviction from caches: for the caches themselves. */
    public boolean tryResizeAsCache(long newBytes) {
      long more = newBytes - bytes;
      if (more > 0 && !reserve(more)) {
        return false;
      }
      accept(newBytes);
      return true;
    }

    /**
     * Changes the number of bytes, and waits for memory if necessary.
     *
     * @throws OverBudgetException if it does not fit; the charge is unchanged
     */
    public void resize(long newBytes) {
      if (newBytes > bytes) {
        checkFits(newBytes);
        if (!reserveWaiting(newBytes - bytes)) {
          throw busy();
        }
      }
      accept(newBytes);
    }

    /**
     * Checks that this many bytes are allowed for one charge.
     *
     * @throws OverBudgetException if they are not
     */
    public void checkFits(long newBytes) {
      if (newBytes > maxChargeBytes()) {
        refusedCount.incrementAndGet();
        throw new OverBudgetException(
            "it takes %d bytes of memory, and one request may take %d of this server's heap: send less at a time, or start the server with a larger heap"
                .formatted(newBytes, maxChargeBytes()),
            true);
      }
    }

    /** Refuses a charge, for a caller that waits for memory itself. */
    public OverBudgetException busy() {
      refusedCount.incrementAndGet();
      return new OverBudgetException(
          "the server's memory is used up by other requests; try again in a second", false);
    }

    private void accept(long newBytes) {
      if (newBytes < bytes) {
        release(bytes - newBytes);
      }
      bytes = newBytes;
    }

    /** Releases all bytes. */
    @Override
    public void close() {
      accept(0);
    }
  }
}
