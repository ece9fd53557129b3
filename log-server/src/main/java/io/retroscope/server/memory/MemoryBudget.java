package io.retroscope.server.memory;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * The memory that a process may use for caches, requests, decoding and queues, in bytes. Whoever
 * needs memory charges it before it is allocated; caches give way to all others. Thread-safe.
 *
 * <p>It counts estimates of memory on the heap, so it is a share of the heap: the rest is for what
 * is not counted, queries among it.
 */
public final class MemoryBudget {
  /** The share of the heap that is counted here. */
  private static final int HEAP_SHARE = 2;

  /** One charge takes at most this share, so that one request cannot shut out all others. */
  private static final int CHARGE_SHARE = 2;

  /* Charge.resize waits for two seconds. */
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
    /** Frees memory, and closes or resizes the charges for it; at least so many bytes if it can. */
    void free(long bytes);
  }

  /**
   * A budget of its own, for tests and for those who divide the heap themselves.
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

  /** All that may be used. */
  public long totalBytes() {
    return totalBytes;
  }

  /** The most that one charge may count. */
  public long maxChargeBytes() {
    return Math.max(1, totalBytes / CHARGE_SHARE);
  }

  /** What is used now. */
  public synchronized long usedBytes() {
    return usedBytes;
  }

  /** How many charges were refused. */
  public long refusedCount() {
    return refusedCount.get();
  }

  /** Has a cache give way from now on. */
  public void add(Cache cache) {
    caches.add(cache);
  }

  /** Forgets a cache, which has closed its charges. */
  public void remove(Cache cache) {
    caches.remove(cache);
  }

  /** A charge of nothing, to be resized. */
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

  /** No lock is held while caches free memory: they lock themselves, and release here. */
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

  /** Polls: a release wakes nobody up, because it may be too small for the one that waits. */
  private boolean reserveWaiting(long bytes) {
    boolean reserved = reserveBeforeCaches(bytes);
    for (int i = 0; i < WAIT_POLLS && !reserved && !Thread.currentThread().isInterrupted(); i++) {
      LockSupport.parkNanos(this, POLL_NANOS);
      reserved = reserveBeforeCaches(bytes);
    }
    return reserved;
  }

  /** Memory that is counted until it is closed. Used by one thread at a time. */
  public final class Charge implements AutoCloseable {
    private long bytes;

    private Charge() {}

    /** What is counted. */
    public long bytes() {
      return bytes;
    }

    /** The most that may be counted. */
    public long maxBytes() {
      return maxChargeBytes();
    }

    /** Counts another number of bytes if that is possible at once; otherwise what it did. */
    public boolean tryResize(long newBytes) {
      long more = newBytes - bytes;
      if (more > 0 && (newBytes > maxChargeBytes() || !reserveBeforeCaches(more))) {
        return false;
      }
      accept(newBytes);
      return true;
    }

    /** As {@link #tryResize}, but takes nothing from caches: for the caches themselves. */
    public boolean tryResizeAsCache(long newBytes) {
      long more = newBytes - bytes;
      if (more > 0 && !reserve(more)) {
        return false;
      }
      accept(newBytes);
      return true;
    }

    /**
     * Counts another number of bytes, and waits for them if necessary.
     *
     * @throws OverBudgetException if they do not fit; the charge is what it was
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
     * Checks that a charge may count so many bytes at all.
     *
     * @throws OverBudgetException if it may not
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

    /** Refuses a charge where the wait for memory is not this class's. */
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

    /** Counts nothing any more. */
    @Override
    public void close() {
      accept(0);
    }
  }
}
