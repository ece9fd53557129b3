// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine.slice;

import io.retroscope.rql.cut.EventSource.View;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.Slicing;
import io.retroscope.rql.evaluation.QueryLimits;
import io.retroscope.rql.evaluation.WorkMeter;
import io.retroscope.rql.plan.BoundPlan;
import io.retroscope.rql.plan.TimeSlices;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A walk over slices of history by the query's own thread and helpers, whose items are joined in
 * order. Used by the query's thread, except for the methods that say otherwise.
 */
public final class SlicedHistory {
  /*
   * Each thread claims the next slice that no other has claimed. The query's thread joins the items
   * of the first slice that is not joined yet as they come; items of later slices wait, up to a
   * limit. A helper that reaches the limit waits for the query's thread. The query's thread, if it
   * walks a later slice and reaches the limit, joins earlier ones first. The limit never delays the
   * thread that walks the first slice that is not joined, so that there is always progress.
   *
   * For each other process that can walk slices, a thread claims them and receives their items. If
   * the process fails, this thread walks the rest of the slice itself, and sends no more requests.
   */
  private final BoundPlan plan;
  private final QueryLimits limits;
  private final View view;
  private final Slicing slicing;
  private final SliceTimes times;
  private final List<HlcRange> slices;
  private final SliceThreads helpers;
  private final SliceReceiver stitch;
  private final SliceQueue queue;
  private final AtomicInteger walkedElsewhere = new AtomicInteger();
  private final List<Thread> asking = new ArrayList<>();

  /** The answers that threads receive from other processes. */
  private final Set<InputStream> answers = ConcurrentHashMap.newKeySet();

  private WalkFigures figures = WalkFigures.NONE;

  /** What ended the walk while items were joined; it is not a failure of the slice walked then. */
  private @Nullable Throwable joinFailure;

  /**
   * A walk that has not begun.
   *
   * @param view one with slices
   * @param slices adjacent ranges, ascending, of which the first begins where the plan's does
   */
  public SlicedHistory(
      BoundPlan plan,
      QueryLimits limits,
      View view,
      List<HlcRange> slices,
      SliceThreads helpers,
      SliceReceiver stitch) {
    this.plan = plan;
    this.limits = limits;
    this.view = view;
    this.slicing = view.slicing().orElseThrow();
    this.times = SliceTimes.by(view.clockOffsets()); // Those of another view may be newer.
    this.slices = slices;
    this.helpers = helpers;
    this.stitch = stitch;
    this.queue = new SliceQueue(slices.size());
  }

  /** The number of slices that helpers walked. */
  public int walkedByHelpers() {
    return queue.claimedByHelpers();
  }

  /** The number of slices that other processes walked to their end. */
  public int walkedElsewhere() {
    return walkedElsewhere.get();
  }

  /** The largest number of bytes of items that waited for their turn at the same time. */
  public long mostWaitingBytes() {
    return queue.mostWaitingBytes();
  }

  /** The cost of all slices, also of those that were not wanted in the end. */
  public synchronized WalkFigures figures() {
    return figures;
  }

  /** Adds the cost of a slice. Called by any thread. */
  private synchronized void addFigures(WalkFigures more) {
    figures = figures.plus(more);
  }

  /**
   * Walks all slices, and returns when no helper is left.
   *
   * @return whether the stitch wanted all items
   */
  public boolean walk() {
    try {
      for (int own = queue.claim(false); own >= 0; own = queue.claim(false)) {
        if (own == 0) {
          TimeSlices.hosts(plan, view).forEach(this::startAsking);
        }
        startHelpers();
        walk(own);
        join(false);
      }
      join(true);
      return !queue.isStopped();
    } finally {
      queue.stop();
      asking.forEach(Thread::interrupt); // They may wait for other processes.
      answers.forEach(SlicedHistory::close); // HTTP clients ignore interrupts while they read.
      queue.awaitHelpers();
    }
  }

  private void startAsking(Slicing.Host host) {
    if (!queue.addHelper()) {
      return;
    }
    Thread thread =
        new Thread(
            () -> {
              try {
                ask(host);
              } finally {
                queue.removeHelper();
              }
            },
            "query-slices-elsewhere");
    thread.setDaemon(true);
    asking.add(thread);
    boolean started = false;
    try {
      thread.start();
      started = true;
    } finally {
      if (!started) {
        queue.removeHelper(); // Otherwise the end of the walk would wait for it.
      }
    }
  }

  /** Lets another process walk slices until it fails. */
  private void ask(Slicing.Host host) {
    boolean answers = true;
    for (int slice = queue.claim(true); slice >= 0; slice = answers ? queue.claim(true) : -1) {
      answers = ask(host, slice);
    }
  }

  /** Passes on the items of a slice; returns whether the other process walked it to its end. */
  private boolean ask(Slicing.Host host, int slice) {
    HlcRange range = slices.get(slice);
    SliceRelay relay = new SliceRelay(new HelperFeed(slice));
    boolean isWhole = false;
    try (InputStream answer = host.walk(SliceRequest.of(plan, range).toBytes())) {
      addFigures(receive(answer, relay));
      isWhole = true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // The rest is not wanted.
    } catch (IOException | RuntimeException e) {
      // The items before are right. A whole answer may still fail to be closed.
    } catch (Error e) {
      queue.end(slice, e); // The query's thread waits for the slice.
      return false;
    }
    if (isWhole) {
      relay.end();
      walkedElsewhere.incrementAndGet();
      queue.end(slice, null);
    } else if (!queue.isStopped()) {
      walkAsHelper(slice, relay.rest(range));
    }
    return isWhole;
  }

  /** Passes on an answer, unless the query's thread closes it because the rest is not wanted. */
  private WalkFigures receive(InputStream answer, SliceRelay relay) throws IOException {
    answers.add(answer);
    try {
      if (queue.isStopped()) {
        throw new IOException("no answer is wanted any more");
      }
      return SliceAnswer.receive(answer, times.clocks(), relay::add);
    } finally {
      answers.remove(answer);
    }
  }

  private static void close(InputStream answer) {
    try {
      answer.close();
    } catch (IOException e) {
      // It is not used any more.
    }
  }

  private void startHelpers() {
    boolean started = true;
    while (started && queue.addHelper()) {
      started = false;
      try {
        started = helpers.tryStart(this::help, queue::removeHelper);
      } finally {
        if (!started) {
          queue.removeHelper();
        }
      }
    }
  }

  /** Walks slices in the thread of a helper. */
  private void help() {
    int slice = helpers.areTooMany() ? -1 : queue.claim(true);
    while (slice >= 0) {
      walkAsHelper(slice, slices.get(slice));
      slice = helpers.areTooMany() ? -1 : queue.claim(true);
    }
  }

  /** Walks a slice, or the rest of it, in a thread other than the query's. */
  private void walkAsHelper(int slice, HlcRange range) {
    Throwable failure = null;
    try (View another = slicing.another()) {
      walk(another, range, false, new HelperFeed(slice));
    } catch (WorkMeter.CancelledException e) {
      failure = null; // The rest is not wanted.
    } catch (RuntimeException | Error e) {
      failure = e; // The query's thread throws it when it is the turn of the slice.
    }
    queue.end(slice, failure);
  }

  /** Walks a slice in the query's thread. */
  private void walk(int slice) {
    Throwable failure = null;
    try {
      walk(view, slices.get(slice), slice == 0, new OwnFeed(slice));
    } catch (WorkMeter.CancelledException e) {
      queue.stop();
    } catch (RuntimeException | Error e) {
      if (e == joinFailure) {
        throw e;
      }
      failure = e; // Earlier slices come first.
    }
    queue.end(slice, failure);
  }

  /** Walks a slice. Called by any thread. */
  private void walk(View opened, HlcRange range, boolean isFirst, SliceFeed feed) {
    SliceWalk walk = new SliceWalk(plan.plan().bind(limits), range, isFirst, times, feed);
    try {
      boolean unused = walk.run(opened, isFirst);
      feed.flush();
    } finally {
      addFigures(walk.figures());
    }
  }

  /**
   * Passes items to the stitch, in order.
   *
   * @param all whether to wait for the rest; otherwise only items that are there are passed
   */
  private void join(boolean all) {
    while (queue.joined() < slices.size() && !queue.isStopped() && (all || queue.hasNext())) {
      joinNext(all);
    }
  }

  /** Passes on what there is of the next slice, or moves on after its last item. */
  private void joinNext(boolean waits) {
    List<SliceItem> items = queue.take(waits);
    items.forEach(this::stitch);
    queue.release();
    if (waits && items.isEmpty() && stitch.isCancelled()) {
      queue.stop();
    }
    if (items.isEmpty()) {
      moveOn();
    }
  }

  private void moveOn() {
    try {
      queue.next();
    } catch (RuntimeException | Error e) {
      joinFailure = e;
      throw e;
    }
  }

  private void stitch(SliceItem item) {
    if (queue.isStopped()) {
      return;
    }
    try {
      if (!stitch.take(item)) {
        queue.stop();
      }
    } catch (RuntimeException | Error e) {
      joinFailure = e;
      throw e;
    }
  }

  /** The feed of a slice that a helper walks. Used by the helper. */
  private final class HelperFeed extends SliceFeed {
    private final int slice;

    HelperFeed(int slice) {
      this.slice = slice;
    }

    @Override
    void pass(List<SliceItem> items, long bytes) {
      queue.putWhenRoom(slice, items, bytes);
    }

    @Override
    boolean isAwaited() {
      return queue.isAwaited(slice);
    }

    @Override
    boolean isCancelled() {
      return queue.isStopped();
    }

    @Override
    boolean isStopped() {
      return queue.isStopped();
    }
  }

  /** The feed of a slice that the query's thread walks. */
  private final class OwnFeed extends SliceFeed {
    private final int slice;

    OwnFeed(int slice) {
      this.slice = slice;
    }

    @Override
    void add(SliceItem item) {
      if (queue.joined() == slice) {
        flush();
        stitch(item);
      } else {
        super.add(item);
      }
    }

    @Override
    void pass(List<SliceItem> items, long bytes) {
      join(false);
      while (!queue.isStopped() && queue.joined() < slice && !queue.hasRoomFor(bytes)) {
        joinNext(true);
      }
      if (queue.joined() < slice) {
        queue.put(slice, items, bytes);
        return;
      }
      while (!queue.isStopped() && queue.hasNext()) {
        joinNext(false);
      }
      items.forEach(SlicedHistory.this::stitch);
    }

    @Override
    boolean isAwaited() {
      return false;
    }

    /** Joins what helpers have passed on; the receiver of the rows may want no more. */
    @Override
    boolean isCancelled() {
      if (!queue.isStopped()) {
        join(false);
        if (stitch.isCancelled()) {
          queue.stop();
        }
      }
      return queue.isStopped();
    }

    @Override
    boolean isStopped() {
      return queue.isStopped();
    }
  }
}
