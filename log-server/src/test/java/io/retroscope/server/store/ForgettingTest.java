// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store;

import static io.retroscope.server.store.StoreFixture.block;
import static io.retroscope.server.store.StoreFixture.frames;
import static io.retroscope.server.store.StoreFixture.hlc;
import static io.retroscope.server.store.StoreFixture.lines;
import static io.retroscope.server.store.StoreFixture.set;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBody;
import io.retroscope.event.EventMark;
import io.retroscope.rql.cut.Catalog.NodeDescription;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.EventSource.View;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.server.store.run.Incarnation;
import io.retroscope.server.store.run.StoreConflictException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class ForgettingTest {
  private static final long SECOND = 1_000_000;

  @TempDir Path directory;
  private final AtomicLong now = new AtomicLong(StoreFixture.NOW_MICROS);
  private EventStore store;

  @BeforeEach
  void open() {
    store = EventStore.open(directory, StoreOptions.DEFAULT, now::get);
  }

  @AfterEach
  void close() {
    store.close();
  }

  @Test
  void forget_aRunWithoutAStop_isClosedAtItsLastRecordAndKeepsItsEvents() {
    send("i", 1, 10);
    assertThat(store.forget("a")).extracting(run -> run.name().incarnation()).containsExactly("i");
    reopen();

    List<Event> events = events();
    assertThat(events).hasSize(2);
    assertThat(events.get(1).body()).isInstanceOf(EventBody.Stop.class);
    assertThat(events.get(1).marks()).containsExactly(EventMark.FORGOTTEN);
    assertThat(events.get(1).hlc()).isEqualTo(at(10) + 1);
    assertThat(run().isForgotten()).isTrue();
    assertThat(nodes()).singleElement().satisfies(node -> assertThat(node.forgotten()).isTrue());
  }

  @Test
  void forget_again_changesNothing() {
    send("i", 1, 10);
    store.forget("a");
    assertThat(store.forget("a")).isEmpty();
    assertThat(events()).hasSize(2);
  }

  @Test
  void forget_aRunThatStopped_isGivenNoSecondStop() {
    store
        .append(
            frames(
                block("i", 1, at(11), List.of(new Event("a", "", at(10), new EventBody.Stop())))))
        .join();
    store.forget("a");
    assertThat(events()).hasSize(1);
    assertThat(run().isForgotten()).isTrue();
  }

  @Test
  void append_fromAForgottenRun_isRefusedAndCountedButForWhatIsThere() {
    send("i", 1, 10);
    store.forget("a");
    reopen();

    assertThat(send("i", 1, 10).duplicates()).isEqualTo(1);
    assertThatThrownBy(() -> send("i", 2, 20))
        .hasCauseInstanceOf(StoreConflictException.class)
        .hasMessageContaining("was forgotten");
    assertThatThrownBy(
            () ->
                store
                    .append(
                        frames(StoreFixture.frame(EventBlock.heartbeat("a", "i", 0, at(30), 0, 0))))
                    .join())
        .hasMessageContaining("was forgotten");
    assertThat(store.figures().refusedCount()).isEqualTo(2);
    assertThat(events()).hasSize(2);
  }

  @Test
  void append_blockOfAForgottenRunBeyondAGap_isKnown() {
    send("i", 1, 10);
    send("i", 3, 12);
    store.forget("a");
    assertThat(send("i", 3, 12)).isEqualTo(new Receipt(0, 1, 0));
    assertThat(store.figures().refusedCount()).isZero();
    assertThatThrownBy(() -> send("i", 2, 11)).hasMessageContaining("was forgotten");
  }

  @Test
  void append_fromANewRunOfAForgottenNode_isTaken() {
    send("i", 1, 10);
    store.forget("a");
    send("j", 1, 20);

    assertThat(nodes()).singleElement().satisfies(node -> assertThat(node.forgotten()).isFalse());
    assertThat(events()).hasSize(3);
  }

  @Test
  void append_linesOfAForgottenNode_openItAgain() {
    store.append(lines(set("a", "l", at(10), "x", 1))).join();
    store.forget("a");
    assertThat(nodes()).singleElement().satisfies(node -> assertThat(node.forgotten()).isTrue());
    store.append(lines(set("a", "l", at(20), "x", 2))).join();
    assertThat(nodes()).singleElement().satisfies(node -> assertThat(node.forgotten()).isFalse());
  }

  @Test
  void expire_runsWithoutEvents_areForgottenUnlessHeardFrom() {
    for (int i = 0; i < 10; i++) {
      store.append(frames(blockOf("pod" + i, "i", 1, i))).join();
    }
    retain(5);
    store.expire(run -> run.node().equals("pod2"));
    assertThat(store.incarnations())
        .filteredOn(Incarnation::isForgotten)
        .extracting(run -> run.name().node())
        .containsExactlyInAnyOrder("pod0", "pod1", "pod3", "pod4");
    assertThat(nodes())
        .filteredOn(node -> !node.forgotten())
        .extracting(NodeDescription::name)
        .containsExactly("pod2", "pod5", "pod6", "pod7", "pod8", "pod9");
  }

  /** Each becomes a record of a topic in a cluster. */
  @Test
  void leftovers_manyRuns_areInChangesOfLimitedSize() {
    List<Submission.EncodedFrame> blocks = new ArrayList<>();
    for (int i = 0; i < 1_200; i++) {
      blocks.add(blockOf("pod" + i, "i", 1, 1));
    }
    store.append(new Submission.Frames(blocks)).join();
    store.trim(at(1));
    for (Submission.Expiry left : store.leftovers(run -> false)) {
      assertThat(left.forgotten().size() + left.gone().size() + left.nodes().size())
          .isBetween(1, 500);
      store.expire(left);
    }
    assertThat(store.incarnations()).hasSize(1_200).allMatch(Incarnation::isForgotten);
  }

  @Test
  void expire_afterAWeek_freesAllButRefusesStill() {
    send("i", 1, 1);
    store.append(frames(blockOf("b", "i", 1, 50))).join();
    retain(30);
    store.expire(run -> false);
    now.addAndGet(TimeUnit.DAYS.toMicros(6));
    store.expire(run -> false);
    assertThat(send("i", 1, 1).duplicates()).isEqualTo(1);

    now.addAndGet(TimeUnit.DAYS.toMicros(1) + SECOND);
    store.expire(run -> false);
    store.expire(run -> false);
    assertThat(store.incarnations()).extracting(run -> run.name().node()).containsExactly("b");
    assertThat(nodes()).extracting(NodeDescription::name).containsExactly("b");
    reopen();
    assertThat(store.incarnations()).extracting(run -> run.name().node()).containsExactly("b");
    assertThatThrownBy(() -> send("i", 1, 1)).hasMessageContaining("was forgotten");
    assertThat(StoreMaintenance.verify(directory).lines()).contains("numbers: 1 entries read");
  }

  @Test
  void expire_lifetimesThatEndedBeforeHistoryBegins_go() {
    for (int i = 0; i < 60; i++) {
      send("i", i + 1L, i);
    }
    assertThat(lifetimeCount()).isEqualTo(60);
    retain(30);
    store.expire(run -> true);
    assertThat(lifetimeCount()).isBetween(30L, 31L);
    reopen();
    assertThat(lifetimeCount()).isBetween(30L, 31L);

    retain(60);
    store.expire(run -> true);
    assertThat(lifetimeCount()).isEqualTo(1);
    assertThat(nodes()).singleElement().satisfies(node -> assertThat(node.name()).isEqualTo("a"));
  }

  private long lifetimeCount() {
    try (View view = store.open(ClockOffsets.UNKNOWN)) {
      // Each contains only one stamp.
      List<Long> stamps = new ArrayList<>();
      view.sightings(HlcRange.ALL).forEachRemaining(sighting -> stamps.add(sighting.hlc()));
      return stamps.size();
    }
  }

  private void retain(int seconds) {
    long removed =
        store.retain(
            Retention.ofAge(Duration.ofSeconds(1_000), () -> base() + (seconds + 1_000) * SECOND));
    assertThat(removed).isPositive();
  }

  private Receipt send(String incarnation, long number, int second) {
    return store.append(frames(blockOf("a", incarnation, number, second))).join();
  }

  private static Submission.EncodedFrame blockOf(
      String node, String incarnation, long number, int second) {
    return block(incarnation, number, at(second), List.of(set(node, "l", at(second), "x", number)));
  }

  private static long base() {
    return StoreFixture.NOW_MICROS - 100_000 * SECOND;
  }

  private static long at(int second) {
    return hlc(base() + second * SECOND);
  }

  private Incarnation run() {
    return store.incarnations().iterator().next();
  }

  private List<NodeDescription> nodes() {
    try (View view = store.open(ClockOffsets.UNKNOWN)) {
      return view.nodes();
    }
  }

  private List<Event> events() {
    List<Event> events = new ArrayList<>();
    try (View view = store.open(ClockOffsets.UNKNOWN)) {
      view.scan(Set.of("l"), HlcRange.ALL).forEachRemaining(events::add);
    }
    return events;
  }

  private void reopen() {
    close();
    open();
  }
}
