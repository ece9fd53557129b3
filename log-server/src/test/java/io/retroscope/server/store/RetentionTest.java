// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store;

import static io.retroscope.server.store.StoreFixture.NOW_MICROS;
import static io.retroscope.server.store.StoreFixture.block;
import static io.retroscope.server.store.StoreFixture.frames;
import static io.retroscope.server.store.StoreFixture.hlc;
import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventBody.Change;
import io.retroscope.event.EventBody.Operation;
import io.retroscope.event.Value;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.EventSource.View;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.Incompleteness;
import io.retroscope.rql.cut.Incompleteness.Extent;
import io.retroscope.server.memory.MemoryBudget;
import io.retroscope.server.store.Submission.EncodedFrame;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class RetentionTest {
  private static final long SECOND = 1_000_000;
  private static final Retention HALF_A_MINUTE =
      Retention.ofAge(Duration.ofSeconds(30), () -> NOW_MICROS);

  @TempDir Path directory;

  @Test
  void retain_byAge_removesOldBlocksAndEveryAnswerSaysWhereHistoryBegins() {
    try (EventStore store = StoreFixture.open(directory)) {
      fill(store, 0, 60);
      assertThat(store.retain(HALF_A_MINUTE)).isEqualTo(30);
      assertThat(store.retain(HALF_A_MINUTE)).isZero();
    }
    try (EventStore store = StoreFixture.open(directory)) {
      assertThat(stamps(store)).hasSize(30).allMatch(hlc -> hlc >= stamp(30));
      assertThat(store.figures().blockCount()).isEqualTo(30);
      try (View view = store.open(ClockOffsets.UNKNOWN)) {
        assertThat(view.warnings(HlcRange.ALL))
            .singleElement()
            .asString()
            .startsWith("history begins at ")
            .contains("retention has removed earlier events");
      }
      assertThat(StoreMaintenance.verify(directory).lines()).contains("blocks: 30 entries read");
    }
  }

  @Test
  void retain_whatInputsStatedOfRemovedEvents_goesToo() {
    try (EventStore store = StoreFixture.open(directory)) {
      fill(store, 0, 60);
      Incompleteness later =
          new Incompleteness.Reported("later", extent(40, HlcTimestamp.MAX_PACKED));
      Incompleteness any = new Incompleteness.Reported("any");
      state(
          store,
          new Incompleteness.CutOff("cut off", extent(5, HlcTimestamp.MAX_PACKED)),
          new Incompleteness.Remarked("remarked", extent(5, stamp(20))),
          later,
          any,
          new Incompleteness.AfterEnd(stamp(20), "end", Set.of("a")));
      assertThat(stated(store)).hasSize(5);
      store.retain(HALF_A_MINUTE);
      assertThat(stated(store)).containsExactly(later, any);
    }
    try (EventStore store = StoreFixture.open(directory)) {
      assertThat(stated(store)).as("restarted").hasSize(2);
    }
  }

  @Test
  void append_theEndOfALaterRecordingOfItsNodes_replacesTheEarlierOne() {
    try (EventStore store = StoreFixture.open(directory)) {
      Incompleteness first = new Incompleteness.AfterEnd(stamp(10), "1", Set.of("a", "b"));
      Incompleteness second = new Incompleteness.AfterEnd(stamp(20), "2", Set.of("a"));
      Incompleteness third = new Incompleteness.AfterEnd(stamp(30), "3", Set.of("a", "b", "c"));
      state(store, first);
      state(store, second);
      assertThat(stated(store)).containsExactly(first, second);
      state(store, third);
      state(store, first);
      assertThat(stated(store)).containsExactly(third);
    }
  }

  private static Extent extent(int fromSecond, long toHlc) {
    return new Extent(Set.of("a"), new HlcRange(stamp(fromSecond), toHlc));
  }

  private static void state(EventStore store, Incompleteness... reasons) {
    store.append(new Submission.Lines(List.of(), List.of(), List.of(), List.of(reasons), 0)).join();
  }

  private static List<Incompleteness> stated(EventStore store) {
    try (View view = store.open(ClockOffsets.UNKNOWN)) {
      return view.reasons(HlcRange.ALL).stream()
          .filter(reason -> !(reason instanceof Incompleteness.Removed))
          .toList();
    }
  }

  @Test
  void retain_aLateBlockOfOldEvents_goesToo() {
    try (EventStore store = StoreFixture.open(directory)) {
      fill(store, 0, 60);
      int removed = store.retain(HALF_A_MINUTE);
      store.append(frames(blockNumber("late", 1, stamp(1)))).join();
      assertThat(removed).isEqualTo(30);
      assertThat(stamps(store)).hasSize(31);
      assertThat(
              store.retain(Retention.ofAge(Duration.ofSeconds(1), () -> NOW_MICROS + 60 * SECOND)))
          .isEqualTo(31);
      assertThat(stamps(store)).isEmpty();
    }
  }

  @Test
  void retain_everything_keepsWhatComesAfterARestart() {
    try (EventStore store = StoreFixture.open(directory)) {
      fill(store, 0, 5);
      assertThat(store.retain(blocks -> blocks.count())).isEqualTo(5);
    }
    try (EventStore store = StoreFixture.open(directory)) {
      store.append(frames(blockNumber("i", 6, stamp(6)))).join();
    }
    try (EventStore store = StoreFixture.open(directory)) {
      assertThat(stamps(store)).containsExactly(stamp(6));
    }
  }

  @Test
  void retain_aViewThatIsOpen_neitherFailsNorCallsItDamage() {
    try (EventStore store =
        EventStore.open(
            directory, new StoreOptions(0, MemoryBudget.ofProcess(), 0), () -> NOW_MICROS)) {
      fill(store, 0, 60);
      try (View view = store.open(ClockOffsets.UNKNOWN)) {
        store.retain(HALF_A_MINUTE);
        assertThat(view.scan(Set.of("l"), HlcRange.ALL)).toIterable().hasSize(30);
        assertThat(view.warnings(HlcRange.ALL)).hasSize(1);
      }
      assertThat(store.damage()).isEmpty();
    }
  }

  @Test
  void retain_bySize_freesTheDisk() {
    try (EventStore store = StoreFixture.open(directory)) {
      fill(store, -340, 60);
    }
    // Opened again, so that blocks are in sorted files.
    try (EventStore store = StoreFixture.open(directory)) {
      long before = store.figures().fileBytes();
      assertThat(before).isGreaterThan(300_000);
      long max = before / 2;
      assertThat(store.retain(Retention.ofSize(max))).isBetween(150, 300);
      assertThat(store.figures().fileBytes()).isLessThan(max + max / 4);
      assertThat(stamps(store)).contains(stamp(59)).doesNotContain(stamp(-340));
    }
  }

  @Test
  void or_twoRules_removesWhatEitherReleases() {
    Retention.Blocks blocks =
        new Retention.Blocks() {
          @Override
          public int count() {
            return 10;
          }

          @Override
          public long lastHlc(int index) {
            return stamp(index);
          }

          @Override
          public long fileBytes() {
            return 1_000;
          }
        };
    Retention age = Retention.ofAge(Duration.ofSeconds(57), () -> NOW_MICROS);
    assertThat(age.removableCount(blocks)).isEqualTo(3);
    assertThat(Retention.ofSize(500).removableCount(blocks)).isEqualTo(6);
    assertThat(age.or(Retention.ofSize(500)).removableCount(blocks)).isEqualTo(6);
    assertThat(age.or(Retention.ofSize(2_000)).removableCount(blocks)).isEqualTo(3);
  }

  private static void fill(EventStore store, int fromSecond, int toSecond) {
    for (int i = fromSecond; i < toSecond; i++) {
      store.append(frames(blockNumber("i", i - fromSecond + 1, stamp(i)))).join();
    }
  }

  /** One incompressible event of about 1,000 bytes. */
  private static EncodedFrame blockNumber(String incarnation, long number, long hlc) {
    Random random = new Random(number);
    StringBuilder text = new StringBuilder();
    while (text.length() < 1_000) {
      text.append((char) (' ' + random.nextInt(90)));
    }
    Value value = Value.of(text.toString());
    Change change = new Change(Operation.SET, "x", value);
    Event event = new Event("a", "l", hlc, new EventBody.StateChange(List.of(change)));
    return block(incarnation, number, hlc, List.of(event));
  }

  /** A number of seconds after one minute ago. */
  private static long stamp(int second) {
    return hlc(NOW_MICROS - 60 * SECOND + second * SECOND);
  }

  private static List<Long> stamps(EventStore store) {
    try (View view = store.open(ClockOffsets.UNKNOWN)) {
      List<Long> stamps = new ArrayList<>();
      view.scan(Set.of("l"), HlcRange.ALL).forEachRemaining(event -> stamps.add(event.hlc()));
      return stamps;
    }
  }
}
