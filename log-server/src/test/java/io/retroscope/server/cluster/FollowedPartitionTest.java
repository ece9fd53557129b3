// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.server.cluster.FollowedPartition.Change;
import io.retroscope.server.cluster.NewsAnswer.News;
import io.retroscope.server.cluster.NewsAnswer.RunState;
import io.retroscope.server.cluster.NewsRequest.Known;
import io.retroscope.server.live.Inflow;
import io.retroscope.server.store.run.Incarnation;
import java.net.URI;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Tests of a partition that moves between servers, without any server. */
class FollowedPartitionTest {
  private static final URI OWNER = URI.create("http://127.0.0.1:1");
  private static final URI COPY = URI.create("http://127.0.0.1:2");

  private long nowMillis = 1_000;
  private final FollowedPartition partition =
      new FollowedPartition(3, () -> TimeUnit.MILLISECONDS.toNanos(nowMillis));

  private static RunState run(String node, long frontierMicros) {
    Incarnation run = new Incarnation(new Incarnation.Name(node, "i"));
    run.promise(0, HlcTimestamp.pack(frontierMicros));
    return RunState.of(run);
  }

  private static News news(long feed, long number, long offset, RunState... runs) {
    return new News(3, feed, number, true, offset, true, List.of(runs), List.of());
  }

  private Optional<Change> take(News news) throws Exception {
    Optional<Change> change = partition.take(news, partition.known());
    partition.published();
    return change;
  }

  private void ends(long end) {
    partition.server().ifPresent(server -> partition.present(server, ""));
    endsUnheard(end);
  }

  private void endsUnheard(long end) {
    partition.ends(end, TimeUnit.MILLISECONDS.toNanos(nowMillis));
  }

  private void assertHolds(String reason) {
    assertThat(partition.bound()).isEqualTo(HlcTimestamp.MIN_PACKED);
    assertThat(partition.holding().orElseThrow())
        .startsWith("partition 3 is not read to its end: ")
        .contains(reason);
  }

  private void assertFlows() {
    assertThat(partition.bound()).isEqualTo(HlcTimestamp.MAX_PACKED);
    assertThat(partition.holding()).isEmpty();
  }

  @Test
  void bound_untilTheEndOfTheTopicIsReached_holdsTheWatermark() throws Exception {
    assertHolds("no server has it");
    partition.choose(List.of(OWNER));
    ends(0);
    assertHolds("it is being read at http://127.0.0.1:1");
    assertThat(partition.completeAsOfNanos()).isEqualTo(Inflow.NEVER);

    assertThat(take(news(7, 1, 5, run("n", 10))).orElseThrow().isFirst()).isTrue();
    ends(6);
    assertHolds("it is being read");
    long asked = nowMillis;
    nowMillis += 100;
    assertThat(take(news(7, 2, 6)).orElseThrow().isFirst()).isFalse();
    assertFlows();
    assertThat(partition.completeAsOfNanos()).isEqualTo(TimeUnit.MILLISECONDS.toNanos(asked));
  }

  /** An owner that was replaced still answers, but does not come further. */
  @Test
  void choose_ownerThatComesNoFurther_holdsTheWatermarkAndAsksTheCopy() throws Exception {
    partition.choose(List.of(OWNER, COPY));
    take(news(7, 1, 5, run("n", 10)));
    ends(5);
    assertFlows();

    for (int i = 0; i < 3; i++) {
      nowMillis += 1_000;
      ends(9);
      partition.choose(List.of(OWNER, COPY));
    }
    assertHolds("it is being read at http://127.0.0.1:2");
    assertThat(partition.server()).contains(COPY);
    take(news(8, 1, 9, run("n", 20)));
    ends(9);
    assertFlows();
    partition.choose(List.of(OWNER, COPY));
    assertThat(partition.server()).as("it works").contains(COPY);
    partition.choose(List.of(COPY, OWNER));
    assertThat(partition.server()).as("the new owner").contains(COPY);
  }

  @Test
  void failed_serverDoesNotAnswer_asksTheNextAndSaysWhy() {
    partition.choose(List.of(OWNER, COPY));
    partition.failed(OWNER, "the owner is gone");
    assertThat(partition.server()).contains(COPY);
    assertHolds("the owner is gone");
    partition.failed(OWNER, "again");
    assertThat(partition.server()).as("the other one failed").contains(COPY);
    partition.endUnknown("the broker does not answer");
    assertHolds("the broker does not answer");
  }

  /** A copy reads only what its owner has committed, which may be less than it has reported. */
  @Test
  void bound_noServerHasWhatTheOwnerReported_holdsTheWatermark() throws Exception {
    partition.choose(List.of(OWNER, COPY));
    take(news(7, 1, 5, run("n", 10)));
    ends(5);
    assertFlows();
    partition.failed(OWNER, "the owner is gone");
    for (int i = 0; i < 3; i++) {
      nowMillis += 1_000;
      partition.absent(COPY, "");
      endsUnheard(5);
    }
    assertHolds("the owner is gone");
    partition.choose(List.of(COPY));
    partition.present(OWNER, "");
    endsUnheard(5);
    assertHolds("the owner is gone");
    partition.present(COPY, "");
    endsUnheard(5);
    assertFlows();
  }

  /** Its server answers, but cannot store the next record. */
  @Test
  void holding_partitionThatStandsStill_saysWhyUntilItGoesOn() throws Exception {
    partition.choose(List.of(OWNER, COPY));
    take(news(7, 1, 5, run("n", 10)));
    partition.present(OWNER, "the disk is full");
    endsUnheard(6);
    assertHolds("http://127.0.0.1:1: the disk is full");
    partition.present(OWNER, "");
    assertHolds("it is being read at http://127.0.0.1:1");
    partition.present(OWNER, "record 5 cannot be stored");
    nowMillis += 3_000;
    partition.choose(List.of(OWNER, COPY));
    partition.absent(COPY, "");
    assertHolds("http://127.0.0.1:1: record 5 cannot be stored");
    partition.absent(OWNER, "record 5 is too large");
    assertHolds("http://127.0.0.1:1: record 5 is too large");
    take(news(8, 1, 6));
    ends(6);
    assertFlows();
  }

  @Test
  void take_storeOfAnotherServer_reportsTheRunsThatHaveChanged() throws Exception {
    take(news(7, 2, 5, run("a", 10), run("b", 10)));
    Change change = take(news(8, 2, 6, run("a", 10), run("b", 30))).orElseThrow();
    assertThat(change.runs())
        .extracting(run -> run.name().node() + " " + HlcTimestamp.micros(run.frontier()))
        .containsExactly("b 30");
    assertThat(partition.known()).isEqualTo(new Known(3, 8, 2, 6));
  }

  @Test
  void take_answerToAnEarlierRequest_isDropped() throws Exception {
    Known before = partition.known();
    take(news(7, 2, 5, run("a", 20)));
    assertThat(partition.take(news(8, 1, 4, run("a", 10)), before)).isEmpty();
    assertThat(partition.offset()).isEqualTo(5);
  }

  @Test
  void take_newsInParts_areTakenTogether() throws Exception {
    News part = new News(3, 7, 1, false, 0, true, List.of(run("a", 20)), List.of());
    assertThat(take(part)).isEmpty();
    assertThat(partition.offset()).isZero();
    assertThat(take(news(7, 2, 5, run("b", 20))).orElseThrow().runs()).hasSize(2);
    assertThat(partition.offset()).isEqualTo(5);
  }

  /** Otherwise a copy would be followed until the next move, about a second behind the owner. */
  @Test
  void choose_ownerThatFailedOnce_isFollowedAgainAfterAWhile() throws Exception {
    partition.choose(List.of(OWNER, COPY));
    partition.failed(OWNER, "it paused");
    for (int i = 0; i < 10; i++) {
      nowMillis += 1_000;
      take(news(8, i, 5 + i));
      ends(5 + i);
      partition.choose(List.of(OWNER, COPY));
      assertThat(partition.server()).contains(COPY);
    }
    nowMillis += 1_000;
    partition.choose(List.of(OWNER, COPY));
    assertThat(partition.server()).contains(OWNER);
  }

  /** A run that was taken in part would be missing in the watermark until it sends again. */
  @Test
  void take_runOfAnotherVersion_changesNothing() throws Exception {
    RunState unreadable = new RunState("b", "i", new byte[] {99}, false);
    assertThatIOException()
        .isThrownBy(() -> take(news(7, 2, 5, run("a", 10), unreadable)))
        .withMessageContaining("version 99");
    assertThat(partition.offset()).isZero();
    assertThat(take(news(8, 2, 5, run("a", 10), run("b", 20))).orElseThrow().runs())
        .extracting(run -> run.name().node())
        .containsExactly("a", "b");
  }
}
