package io.retroscope.rql.engine;

import io.retroscope.rql.cut.EventSource.View;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.evaluation.QueryLimits;
import io.retroscope.rql.evaluation.WorkMeter;
import io.retroscope.rql.plan.QueryPlan;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A walk over slices of history by the query's own thread and helpers, whose items are joined in
 * order. Used by the query's thread, except for the methods that say otherwise.
 */
final class SlicedHistory {
  /*
   * Each thread claims the next slice that no other has claimed. The query's thread joins the items
   * of the first slice that is not joined yet as they come; items of later slices wait, up to a
   * limit. A helper that reaches the limit waits for the query's thread. The query's thread, if it
   * walks a later slice and reaches the limit, joins earlier ones first. Whoever walks the first
   * slice that is not joined is never held up by the limit, so that there is always progress.
   */
  static final long MAX_WAITING_BYTES = 8 << 20;

  /** What the slice that is joined next may keep even if others have reached the limit. */
  static final long MIN_WAITING_BYTES = 1 << 20;

  private static final long LOOK_NANOS = 5_000_000;

  private final QueryPlan plan;
  private final QueryLimits limits;
  private final View view;
  private final List<HlcRange> slices;
  private final SliceHelpers helpers;
  private final SliceReceiver stitch;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final List<Feed> feeds = new ArrayList<>();
  private int claimed;
  private int joined;
  private int helping;
  private long signals;
  private long waitingBytes;
  private long mostWaitingBytes;
  private WalkFigures figures = WalkFigures.NONE;
  private volatile boolean isStopped;
  private volatile int awaited = -1;
  private @Nullable Throwable joinFailure;
  private int walkedByHelpers;
  private boolean wasInterrupted;

  /**
   * A walk that has not begun.
   *
   * @param slices adjacent ranges, ascending, of which the first begins where the plan's does
   */
  SlicedHistory(
      QueryPlan plan,
      QueryLimits limits,
      View view,
      List<HlcRange> slices,
      SliceHelpers helpers,
      SliceReceiver stitch) {
    this.plan = plan;
    this.limits = limits;
    this.view = view;
    this.slices = slices;
    this.helpers = helpers;
    this.stitch = stitch;
    for (int i = 0; i < slices.size(); i++) {
      feeds.add(new Feed(i));
    }
  }

  /** The number of slices that helpers walked. */
  int walkedByHelpers() {
    return walkedByHelpers;
  }

  /** The largest number of bytes of items that waited for their turn at the same time. */
  long mostWaitingBytes() {
    return mostWaitingBytes;
  }

  /** The cost of all slices, also of those that were not wanted in the end. */
  WalkFigures figures() {
    return figures;
  }

  /**
   * Walks all slices, and returns when no helper is left.
   *
   * @return whether the stitch wanted all items
   */
  boolean walk() {
    try {
      for (Feed own = claim(false); own != null && !isStopped; own = claim(false)) {
        startHelpers();
        walk(own);
        join(false);
      }
      join(true);
      return !isStopped;
    } finally {
      awaitHelpers();
    }
  }

  private void startHelpers() {
    while (!isStopped && hasUnclaimed()) {
      changeHelping(1);
      boolean started = false;
      try {
        started = helpers.tryStart(this::help);
      } finally {
        if (!started) {
          changeHelping(-1);
        }
      }
      if (!started) {
        return;
      }
    }
  }

  private boolean hasUnclaimed() {
    lock.lock();
    try {
      // A helper for each slice would only compete for those that are left.
      return claimed + helping < slices.size();
    } finally {
      lock.unlock();
    }
  }

  /** Walks slices in the thread of a helper. */
  private void help() {
    try {
      Feed own = helpers.areTooMany() ? null : claim(true);
      while (own != null && !isStopped) {
        walkAsHelper(own);
        own = helpers.areTooMany() ? null : claim(true);
      }
    } finally {
      changeHelping(-1);
    }
  }

  private void walkAsHelper(Feed own) {
    Throwable failure = null;
    try (View another = view.another()) {
      own.walk(another);
    } catch (WorkMeter.CancelledException e) {
      failure = null; // The rest is not wanted.
    } catch (RuntimeException | Error e) {
      failure = e; // The query's thread throws it when it is the turn of the slice.
    }
    end(own, failure);
  }

  private void changeHelping(int by) {
    lock.lock();
    try {
      helping += by;
      signal();
    } finally {
      lock.unlock();
    }
  }

  /** Claims the next slice; null if there is none. Called by any thread. */
  private @Nullable Feed claim(boolean asHelper) {
    lock.lock();
    try {
      if (claimed == slices.size() || isStopped) {
        return null;
      }
      walkedByHelpers += asHelper ? 1 : 0;
      Feed own = feeds.get(claimed++);
      own.isOwn = !asHelper;
      own.claim();
      return own;
    } finally {
      lock.unlock();
    }
  }

  /** Walks a slice in the query's thread. */
  private void walk(Feed own) {
    Throwable failure = null;
    try {
      own.walk(view);
    } catch (WorkMeter.CancelledException e) {
      isStopped = true;
    } catch (RuntimeException | Error e) {
      if (e == joinFailure) {
        throw e;
      }
      failure = e; // Earlier slices come first.
    }
    end(own, failure);
  }

  private void end(Feed own, @Nullable Throwable failure) {
    lock.lock();
    try {
      own.done(failure);
      figures = figures.plus(own.figures);
      signal();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Passes items to the stitch, in order.
   *
   * @param all whether to wait for the rest; otherwise only items that are there are passed
   */
  private void join(boolean all) {
    boolean more = true;
    while (more && joined < slices.size() && !isStopped) {
      more = joinNext(all);
    }
  }

  /** Passes on what there is of the next slice; returns whether there was anything. */
  private boolean joinNext(boolean waits) {
    Feed next = feeds.get(joined);
    List<SliceItem> items = take(next, waits);
    items.forEach(this::stitch);
    return !items.isEmpty() || endsJoined(next);
  }

  /** Moves on after the last item of a slice; returns whether it was the last one. */
  private boolean endsJoined(Feed next) {
    lock.lock();
    try {
      if (!next.isDone() || next.readyBytes() > 0) {
        return false;
      }
      joined++;
      signal();
    } finally {
      lock.unlock();
    }
    Throwable failure = next.failure();
    joinFailure = failure;
    if (failure instanceof RuntimeException e) {
      throw e;
    }
    if (failure instanceof Error e) {
      throw e;
    }
    return true;
  }

  /** Takes the items of a slice, and waits for the first if that is wanted. */
  private List<SliceItem> take(Feed next, boolean waits) {
    while (true) {
      lock.lock();
      try {
        if (next.readyBytes() > 0) {
          waitingBytes -= next.readyBytes();
          signal();
          return next.take();
        }
        if (!waits || next.isDone() || !next.isClaimed()) {
          return List.of();
        }
        awaited = next.index;
        await();
        awaited = -1;
      } finally {
        lock.unlock();
      }
      if (stitch.isCancelled()) {
        isStopped = true;
        return List.of();
      }
    }
  }

  /** Waits for a signal, but not long, because the receiver may want no more. */
  private void await() {
    long seen = signals;
    long left = LOOK_NANOS;
    try {
      while (signals == seen && left > 0) {
        left = changed.awaitNanos(left);
      }
    } catch (InterruptedException e) {
      wasInterrupted = true; // Interrupts do not end queries.
    }
  }

  private void signal() {
    signals++;
    changed.signalAll();
  }

  private void stitch(SliceItem item) {
    if (isStopped) {
      return;
    }
    try {
      isStopped = !stitch.take(item);
    } catch (RuntimeException | Error e) {
      joinFailure = e;
      throw e;
    }
  }

  private void awaitHelpers() {
    isStopped = true;
    lock.lock();
    try {
      signal();
      while (helping > 0) {
        await();
      }
    } finally {
      lock.unlock();
      if (wasInterrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** The feed of one slice. */
  private final class Feed extends SliceFeed {
    private final int index;
    private final HlcRange range;
    private boolean isOwn;
    private WalkFigures figures = WalkFigures.NONE;

    Feed(int index) {
      this.index = index;
      this.range = slices.get(index);
    }

    /** Walks the slice. */
    void walk(View opened) {
      SliceWalk walk =
          new SliceWalk(plan.again(limits), range, index == 0, opened.clockOffsets(), this);
      try {
        walk.run(opened, index == 0);
        flush();
      } finally {
        figures = walk.figures();
      }
    }

    @Override
    void add(SliceItem item) {
      if (isOwn && joined == index) {
        passOwn();
        stitch(item);
      } else {
        super.add(item);
      }
    }

    /** Joins the items of the query's own slice that waited for earlier slices. */
    private void passOwn() {
      flush();
      if (readyBytes() > 0) {
        join(false);
      }
    }

    @Override
    void pass(List<SliceItem> items, long bytes) {
      if (!isOwn) {
        passAsHelper(items, bytes);
        return;
      }
      join(false);
      while (!isStopped && joined < index && isFull(bytes)) {
        boolean unused = joinNext(true);
      }
      if (joined == index && readyBytes() == 0) {
        items.forEach(SlicedHistory.this::stitch);
      } else {
        putLocked(items, bytes);
      }
    }

    private boolean isFull(long bytes) {
      lock.lock();
      try {
        return waitingBytes + bytes > MAX_WAITING_BYTES;
      } finally {
        lock.unlock();
      }
    }

    private void putLocked(List<SliceItem> items, long bytes) {
      lock.lock();
      try {
        put(items, bytes);
        waitingBytes += bytes;
        mostWaitingBytes = Math.max(mostWaitingBytes, waitingBytes);
        signal();
      } finally {
        lock.unlock();
      }
    }

    private void passAsHelper(List<SliceItem> items, long bytes) {
      lock.lock();
      try {
        while (!isStopped
            && waitingBytes + bytes > MAX_WAITING_BYTES
            && (joined != index || readyBytes() >= MIN_WAITING_BYTES)) {
          changed.awaitUninterruptibly();
        }
        put(items, bytes);
        waitingBytes += bytes;
        mostWaitingBytes = Math.max(mostWaitingBytes, waitingBytes);
        signal();
      } finally {
        lock.unlock();
      }
    }

    @Override
    boolean isAwaited() {
      return awaited == index;
    }

    @Override
    boolean isCancelled() {
      if (isOwn && !isStopped) {
        join(false);
        isStopped |= stitch.isCancelled();
      }
      return isStopped;
    }

    @Override
    boolean isStopped() {
      return isStopped;
    }
  }
}
