// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store;

import static io.retroscope.server.store.StoreFixture.block;
import static io.retroscope.server.store.StoreFixture.events;
import static io.retroscope.server.store.StoreFixture.fill;
import static io.retroscope.server.store.StoreFixture.frames;
import static io.retroscope.server.store.StoreFixture.hlc;
import static io.retroscope.server.store.StoreFixture.lines;
import static io.retroscope.server.store.StoreFixture.list;
import static io.retroscope.server.store.StoreFixture.open;
import static io.retroscope.server.store.StoreFixture.sealAll;
import static io.retroscope.server.store.StoreFixture.set;
import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.EventSource.View;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.Incompleteness;
import io.retroscope.server.store.disk.HistoryStart;
import io.retroscope.server.store.run.Incarnation;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests of the removal of all events up to a stamp, however they are stored. */
@Timeout(120)
class HistoryTrimTest {
  private static final Set<String> LOGS = Set.of("a", "b", "l", "m", "");

  @TempDir Path directory;

  @Test
  void trim_randomHistories_leavesTheSameInAllStores() {
    compare(2);
  }

  @Test
  @Tag("slow")
  @Timeout(600)
  void trim_manyRandomHistories_leavesTheSameInAllStores() {
    compare(40);
  }

  /** Stores of the same events, of which two have sealed different blocks. */
  private void compare(int seeds) {
    for (long seed = 1; seed <= seeds; seed++) {
      Random random = new Random(seed);
      RandomHistory history = new RandomHistory(random, 3);
      List<Long> stamps = new ArrayList<>(history.stamps());
      long first = stamps.get(random.nextInt(stamps.size() / 2));
      long second = stamps.get(stamps.size() / 2 + random.nextInt(stamps.size() / 2));
      Path sealedPath = directory.resolve("sealed" + seed);
      try (EventStore arrived = open(directory.resolve("arrived" + seed), 5);
          EventStore sealed = open(sealedPath, 1 + (int) (seed % 5))) {
        history.appendTo(arrived, sealed);
        List<Event> all = events(arrived);
        try (View before = sealed.open(ClockOffsets.UNKNOWN)) {
          trim(first, arrived, sealed);
          assertTrimmed(all, first, arrived, sealed, seed);
          sealAll(sealed);
          trim(second, arrived, sealed);
          sealed.freeTrimmed();
          trim(first, arrived, sealed);
          assertTrimmed(all, second, arrived, sealed, seed);
          assertThat(events(before)).as("seed %d: an open view", seed).isEqualTo(all);
        }
      }
      try (EventStore arrived = open(directory.resolve("arrived" + seed), 5);
          EventStore reopened = open(sealedPath, 2)) {
        append(arrived, reopened);
        assertSame(reopened, arrived, seed);
      }
      assertThat(StoreMaintenance.verify(sealedPath).problems()).as("seed %d", seed).isEmpty();
    }
  }

  private static void trim(long hlc, EventStore... stores) {
    for (EventStore store : stores) {
      store.trim(hlc);
    }
  }

  private static void append(EventStore... stores) {
    for (EventStore store : stores) {
      fill(store, 1_000_000_000, 1_000_000_009);
    }
  }

  private static void assertTrimmed(
      List<Event> all, long hlc, EventStore arrived, EventStore sealed, long seed) {
    assertThat(events(arrived))
        .as("seed %d", seed)
        .isEqualTo(all.stream().filter(event -> event.hlc() > hlc).toList());
    assertSame(sealed, arrived, seed);
    try (View view = sealed.open(ClockOffsets.UNKNOWN)) {
      assertThat(view.reasons(HlcRange.ALL)).contains(new Incompleteness.Removed(hlc));
    }
  }

  private static void assertSame(EventStore one, EventStore other, long seed) {
    try (View own = one.open(ClockOffsets.UNKNOWN);
        View expected = other.open(ClockOffsets.UNKNOWN)) {
      assertThat(list(own.scanRuns(LOGS, HlcRange.ALL)))
          .as("seed %d", seed)
          .isEqualTo(list(expected.scanRuns(LOGS, HlcRange.ALL)));
      assertThat(own.logs()).as("seed %d", seed).isEqualTo(expected.logs());
      assertThat(own.nodes()).as("seed %d", seed).isEqualTo(expected.nodes());
      assertThat(own.warnings(HlcRange.ALL))
          .as("seed %d", seed)
          .isEqualTo(expected.warnings(HlcRange.ALL));
    }
    assertThat(one.totals().events()).as("seed %d", seed).isEqualTo(other.totals().events());
    assertThat(one.damage()).isEmpty();
    assertThat(other.damage()).isEmpty();
  }

  @Test
  void trim_nothingIsOldEnough_changesNothing() {
    try (EventStore store = StoreFixture.open(directory)) {
      fill(store, 10, 12);
      assertThat(store.reachesBackTo(hlc(9))).isFalse();
      store.trim(hlc(9));
      try (View view = store.open(ClockOffsets.UNKNOWN)) {
        assertThat(view.reasons(HlcRange.ALL)).isEmpty();
      }
      assertThat(store.reachesBackTo(hlc(10))).isTrue();
      store.trim(hlc(10));
      assertThat(events(store)).extracting(Event::hlc).containsExactly(hlc(11), hlc(12));
    }
  }

  @Test
  void trim_processEndedInTheMiddle_removesTheRest() {
    try (EventStore store = StoreFixture.open(directory)) {
      fill(store, 10, 12);
    }
    new HistoryStart(0, hlc(11)).write(directory);
    try (EventStore store = StoreFixture.open(directory)) {
      assertThat(events(store)).hasSize(3);
      store.trim(hlc(10));
      assertThat(events(store)).as("an earlier stamp").hasSize(3);
      store.trim(hlc(11));
      assertThat(events(store)).hasSize(1);
    }
  }

  /** More blocks than one change removes, and one that is split. */
  @Test
  void trim_manyBlocks_removesAllOfThemAndNotifiesNobody() {
    try (EventStore store = StoreFixture.open(directory)) {
      List<Submission.EncodedFrame> blocks = new ArrayList<>();
      for (int i = 1; i <= 5_000; i++) {
        blocks.add(block("i", i, hlc(i), List.of(set("n", "l", hlc(i), "x", i))));
      }
      store.append(new Submission.Frames(blocks)).join();
      store.append(lines(set("m", "l", hlc(1), "x", 1), set("m", "l", hlc(9_000), "x", 2))).join();
      List<EventBlock> noticed = new ArrayList<>();
      store.addListener(
          new StoreListener() {
            @Override
            public void stored(EventBlock block) {
              noticed.add(block);
            }

            @Override
            public void heard(Collection<Incarnation> incarnations) {}
          });
      store.trim(hlc(5_000));
      assertThat(events(store)).singleElement().extracting(Event::hlc).isEqualTo(hlc(9_000));
      assertThat(noticed).isEmpty();
      store
          .append(frames(block("i", 5_001, hlc(9), List.of(set("n", "l", hlc(9), "x", 9)))))
          .join();
      assertThat(events(store)).as("what comes later is stored").hasSize(2);
      store.trim(hlc(5_000));
      assertThat(events(store)).as("until the next time").hasSize(1);
    }
  }
}
