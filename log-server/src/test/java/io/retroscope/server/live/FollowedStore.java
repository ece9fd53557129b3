// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.live;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.clock.PhysicalClock;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.EventBody.StateChange;
import io.retroscope.event.Value;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.engine.Present;
import io.retroscope.rql.engine.QueryEngine;
import io.retroscope.rql.evaluation.QueryLimits;
import io.retroscope.server.store.AlertRecords;
import io.retroscope.server.store.EventStore;
import io.retroscope.server.store.StoreOptions;
import io.retroscope.server.store.Submission;
import io.retroscope.server.store.Submission.NumberedEvent;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** A store with one node, and the parts of a server that live queries over it follow. */
final class FollowedStore implements AutoCloseable {
  static final long START_MICROS = 1_795_200_000_000_000L;

  private static final Set<String> SCANS = Set.of("scan", "stateBefore");

  private final EventStore store;
  final StreamingQuery.Parts parts;

  /** Lets the next view of the store fail. */
  final AtomicBoolean failsOnce = new AtomicBoolean();

  /** Lets the view of this number from now on fail as that of a partition; 0 for none. */
  final AtomicInteger unreadable = new AtomicInteger();

  /** How many views were opened. */
  final AtomicInteger viewCount = new AtomicInteger();

  private final AtomicLong nowMicros = new AtomicLong(START_MICROS);

  FollowedStore(Path directory) throws Exception {
    store = EventStore.open(directory, StoreOptions.DEFAULT, nowMicros::get);
    parts = follow();
  }

  /** The records of alerts. */
  AlertRecords records() {
    return store;
  }

  /** The clock, in microseconds since 1970. */
  PhysicalClock clock() {
    return nowMicros::get;
  }

  /** Lets time pass. */
  void pass(long micros) {
    nowMicros.addAndGet(micros);
  }

  private StreamingQuery.Parts follow() {
    MonotonicClock clock = () -> TimeUnit.MICROSECONDS.toNanos(nowMicros.get());
    WatermarkTracker watermarks =
        new WatermarkTracker(
            clock, nowMicros::get, TimeUnit.SECONDS.toNanos(1), store.incarnations());
    watermarks.awaitKnown(TimeUnit.SECONDS.toNanos(10));
    store.addListener(watermarks);
    LateLog late = new LateLog(watermarks, 1);
    store.addListener(late);
    EventSource source =
        () -> {
          if (failsOnce.getAndSet(false)) {
            throw new IllegalStateException("the store fails once, on purpose");
          }
          if (unreadable.getAndUpdate(views -> Math.max(0, views - 1)) == 1) {
            throw new PartitionException("a partition cannot be read, on purpose");
          }
          viewCount.incrementAndGet();
          return store.open(ClockOffsets.UNKNOWN, Map::of);
        };
    Present present =
        new Present() {
          @Override
          public long nowMicros() {
            return nowMicros.get();
          }

          @Override
          public long completeHlc() {
            return watermarks.current().hlc();
          }
        };
    QueryEngine engine =
        new QueryEngine(
            source,
            QueryLimits.DEFAULT,
            present,
            node -> {
              throw new AssertionError(node);
            });
    return new StreamingQuery.Parts(engine, source, watermarks, late, clock);
  }

  /** The parts with views of which one scan fails: the one of this number from now on. */
  StreamingQuery.Parts losing(AtomicInteger lostScan) {
    EventSource source =
        () -> {
          EventSource.View view = parts.source().open();
          return (EventSource.View)
              Proxy.newProxyInstance(
                  FollowedStore.class.getClassLoader(),
                  new Class<?>[] {EventSource.View.class},
                  (proxy, method, arguments) -> {
                    if (SCANS.contains(method.getName())
                        && lostScan.getAndUpdate(left -> Math.max(0, left - 1)) == 1) {
                      throw new PartitionException("a partition is lost, on purpose");
                    }
                    return method.invoke(view, arguments);
                  });
        };
    return new StreamingQuery.Parts(
        parts.engine(), source, parts.watermarks(), parts.late(), parts.clock());
  }

  /** Stores a value of x, 10 ms later. */
  void append(long value) {
    nowMicros.addAndGet(TimeUnit.MILLISECONDS.toMicros(10));
    Change change = new Change(Operation.SET, "x", Value.of(value));
    Event event =
        new Event("a", "t", HlcTimestamp.pack(nowMicros.get()), new StateChange(List.of(change)));
    store.append(new Submission.Lines(List.of(new NumberedEvent(1, event)), List.of(), 100)).join();
  }

  @Override
  public void close() {
    store.close();
  }
}
