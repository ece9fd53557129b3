// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.EventBody.StateChange;
import io.retroscope.event.Value;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.Watermark;
import io.retroscope.rql.engine.Present;
import io.retroscope.rql.engine.QueryEngine;
import io.retroscope.rql.evaluation.QueryLimits;
import io.retroscope.server.store.EventStore;
import io.retroscope.server.store.StoreOptions;
import io.retroscope.server.store.Submission;
import io.retroscope.server.store.Submission.NumberedEvent;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A client that knows that its query runs gets the rows of what it causes from then on. */
class LiveOpeningTest {
  private static final long START_MICROS = 1_795_200_000_000_000L;

  @TempDir Path directory;
  private long nowMicros = START_MICROS;

  @Test
  void rows_ofEventsStoredBeforeTheWalkOpens_areSent() throws Exception {
    try (EventStore store = EventStore.open(directory, StoreOptions.DEFAULT, () -> nowMicros)) {
      StreamingQuery.Parts parts = follow(store);
      append(store, 1);
      SeamClient client = new SeamClient(true);
      StreamingQuery.Opening opening =
          new StreamingQuery.Opening(parts.watermarks().openingHlc(), Optional.empty());
      append(store, 2);
      parts.watermarks().advance();
      try (LiveFollowers followers = new LiveFollowers(parts)) {
        LiveFollower follower =
            followers.open(parts.engine().prepare("SELECT STREAM x FROM t"), client, opening);
        followers.step(parts.watermarks().current());
        append(store, 3);
        followers.step(parts.watermarks().advance());
        nowMicros += TimeUnit.MINUTES.toMicros(1);
        followers.step(parts.watermarks().advance());
        assertThat(follower.isFinished()).isFalse();
      }
      assertThat(client.rows)
          .extracting(SeamClient.Shown::text)
          .satisfiesExactly(
              row -> assertThat(row).contains("LongValue[value=2]"),
              row -> assertThat(row).contains("LongValue[value=3]"));
    }
  }

  /** Steps are 10 ms apart, and progress is reported every 100 ms. */
  @Test
  void reached_afterEachStep_isTheWatermark() throws Exception {
    try (EventStore store = EventStore.open(directory, StoreOptions.DEFAULT, () -> nowMicros)) {
      StreamingQuery.Parts parts = follow(store);
      SeamClient client = new SeamClient(true);
      StreamingQuery.Opening opening =
          new StreamingQuery.Opening(HlcTimestamp.MIN_PACKED, Optional.empty());
      try (LiveFollowers followers = new LiveFollowers(parts)) {
        LiveFollower unused =
            followers.open(parts.engine().prepare("SELECT STREAM y FROM t"), client, opening);
        for (int i = 0; i < 9; i++) {
          append(store, i);
          Watermark next = parts.watermarks().advance();
          followers.step(next);
          assertThat(client.reachedHlc).isEqualTo(next.hlc());
        }
      }
      assertThat(client.progressCount).isEqualTo(1);
    }
  }

  private StreamingQuery.Parts follow(EventStore store) {
    MonotonicClock clock = () -> TimeUnit.MICROSECONDS.toNanos(nowMicros);
    WatermarkTracker watermarks =
        new WatermarkTracker(
            clock, () -> nowMicros, TimeUnit.SECONDS.toNanos(1), store.incarnations());
    watermarks.awaitKnown(TimeUnit.SECONDS.toNanos(10));
    store.addListener(watermarks);
    LateLog late = new LateLog(watermarks, 1);
    store.addListener(late);
    EventSource source = () -> store.open(ClockOffsets.UNKNOWN, Map::of);
    Present present =
        new Present() {
          @Override
          public long nowMicros() {
            return nowMicros;
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

  private void append(EventStore store, long value) {
    nowMicros += TimeUnit.MILLISECONDS.toMicros(10);
    Change change = new Change(Operation.SET, "x", Value.of(value));
    Event event =
        new Event("a", "t", HlcTimestamp.pack(nowMicros), new StateChange(List.of(change)));
    store.append(new Submission.Lines(List.of(new NumberedEvent(1, event)), List.of(), 100)).join();
  }
}
