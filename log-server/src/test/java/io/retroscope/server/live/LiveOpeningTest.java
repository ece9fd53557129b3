// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.Watermark;
import io.retroscope.rql.engine.live.LiveStart;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A client that knows that its query runs gets the rows of what it causes from then on. */
class LiveOpeningTest {
  @TempDir Path directory;

  @Test
  void rows_ofEventsStoredBeforeTheWalkOpens_areSent() throws Exception {
    try (FollowedStore store = new FollowedStore(directory)) {
      StreamingQuery.Parts parts = store.parts;
      store.append(1);
      SeamClient client = new SeamClient(true);
      LiveStart opening = new LiveStart(parts.watermarks().openingHlc(), Optional.empty());
      store.append(2);
      parts.watermarks().advance();
      try (LiveFollowers followers = new LiveFollowers(parts)) {
        LiveFollower follower =
            followers.open(parts.engine().prepare("SELECT STREAM x FROM t"), client, opening);
        followers.step(parts.watermarks().current());
        store.append(3);
        followers.step(parts.watermarks().advance());
        store.pass(TimeUnit.MINUTES.toMicros(1));
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
    try (FollowedStore store = new FollowedStore(directory)) {
      StreamingQuery.Parts parts = store.parts;
      SeamClient client = new SeamClient(true);
      LiveStart opening = new LiveStart(HlcTimestamp.MIN_PACKED, Optional.empty());
      try (LiveFollowers followers = new LiveFollowers(parts)) {
        LiveFollower unused =
            followers.open(parts.engine().prepare("SELECT STREAM y FROM t"), client, opening);
        for (int i = 0; i < 9; i++) {
          store.append(i);
          Watermark next = parts.watermarks().advance();
          followers.step(next);
          assertThat(client.reachedHlc).isEqualTo(next.hlc());
        }
      }
      assertThat(client.progressCount).isEqualTo(1);
    }
  }

  /** A late event that was due waits until the rows that it changes can be read. */
  @Test
  void step_aPartitionCannotBeRead_keepsLateEvents() throws Exception {
    try (FollowedStore store = new FollowedStore(directory)) {
      StreamingQuery.Parts all = store.parts;
      AtomicBoolean isAbsent = new AtomicBoolean();
      EventSource source =
          () -> {
            if (isAbsent.get()) {
              throw new PartitionException("no server has partition 3");
            }
            return all.source().open();
          };
      StreamingQuery.Parts parts =
          new StreamingQuery.Parts(all.engine(), source, all.watermarks(), all.late(), all.clock());
      try (LiveFollowers followers = new LiveFollowers(parts)) {
        LiveStart opening = new LiveStart(all.watermarks().openingHlc(), Optional.empty());
        LiveFollower follower =
            followers.open(
                all.engine().prepare("SELECT STREAM x FROM t"), new SeamClient(true), opening);
        store.append(1);
        Watermark reached = all.watermarks().advance();
        followers.step(reached);
        all.late()
            .noticed(
                new BlockNotice(
                    List.of("a"), List.of("t"), reached.hlc(), reached.hlc(), Event.NO_PHYSICAL));
        store.pass(TimeUnit.SECONDS.toMicros(3));
        isAbsent.set(true);
        followers.step(reached);
        assertThat(follower.lowestLate()).isEqualTo(reached.hlc());
        isAbsent.set(false);
        followers.step(reached);
        assertThat(follower.isSettled()).isTrue();
      }
    }
  }

  @Test
  void step_manyNewQueries_lookUpTheirNamesInOneView() throws Exception {
    try (FollowedStore store = new FollowedStore(directory);
        LiveFollowers followers = new LiveFollowers(store.parts)) {
      WatermarkTracker watermarks = store.parts.watermarks();
      store.append(1);
      LiveStart opening = new LiveStart(watermarks.openingHlc(), Optional.empty());
      List<SeamClient> clients = new ArrayList<>();
      for (String variable : List.of("y", "z", "y")) {
        SeamClient client = new SeamClient(true);
        clients.add(client);
        LiveFollower unused =
            followers.open(
                store.parts.engine().prepare("SELECT STREAM " + variable + " FROM t"),
                client,
                opening);
      }
      int opened = store.viewCount.get();
      followers.step(watermarks.advance());
      // One for the rows, and one for the names.
      assertThat(store.viewCount.get() - opened).isEqualTo(2);
      assertThat(clients)
          .extracting(client -> client.notices)
          .containsExactly(
              List.of("no variable y in t so far; did you mean x?"),
              List.of("no variable z in t so far; did you mean x?"),
              List.of("no variable y in t so far; did you mean x?"));
    }
  }

  @Test
  void unheard_inOneStep_isLookedUpOnceForTheSameNodes() throws Exception {
    try (FollowedStore store = new FollowedStore(directory)) {
      store.append(1);
      Watermark before = store.parts.watermarks().advance();
      store.pass(TimeUnit.SECONDS.toMicros(20));
      Watermark next = store.parts.watermarks().advance();
      LiveStep step = new LiveStep(store.parts, next, next.hlc() > before.hlc());
      assertThat(step.unheard(Set.of()).leftOut()).isEmpty();
      assertThat(step.unheard(Set.of("a")).leftOut()).hasSize(1);
      assertThat(step.unheard(Set.of("a"))).isSameAs(step.unheard(Set.of("a")));
    }
  }

  /** The query waits for a partition that no server has, and does not try to read it. */
  @Test
  void step_anInflowIsNotReadToItsEnd_opensNoView() throws Exception {
    try (FollowedStore store = new FollowedStore(directory);
        LiveFollowers followers = new LiveFollowers(store.parts)) {
      WatermarkTracker watermarks = store.parts.watermarks();
      LiveStart opening = new LiveStart(watermarks.openingHlc(), Optional.empty());
      LiveFollower unused =
          followers.open(
              store.parts.engine().prepare("SELECT STREAM x FROM t"),
              new SeamClient(true),
              opening);
      store.append(1);
      followers.step(watermarks.advance());
      watermarks.addInflow(new Unread());
      store.pass(TimeUnit.MINUTES.toMicros(2));
      store.failsOnce.set(true);
      followers.step(watermarks.advance());
      assertThat(store.failsOnce).isTrue();
    }
  }

  /** A partition that nobody reads. */
  private static final class Unread implements Inflow {
    @Override
    public long completeAsOfNanos() {
      return NEVER;
    }

    @Override
    public long bound() {
      return HlcTimestamp.MIN_PACKED;
    }

    @Override
    public Optional<String> holding() {
      return Optional.of("no server has partition 3");
    }
  }
}
