// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.server.kafka.ReadBatch.Reached;
import io.retroscope.server.live.Inflow;
import java.util.Map;
import org.apache.kafka.common.Uuid;
import org.junit.jupiter.api.Test;

class ProgressTest {
  private static final long IDLE = 1_000;
  private static final Uuid TOPIC = new Uuid(1, 1);

  private long now = 50_000;
  private final Progress progress = new Progress(() -> now, IDLE);

  @Test
  void bound_beforeAnythingIsKnown_holdsEverything() {
    assertThat(progress.completeAsOfNanos()).isEqualTo(Inflow.NEVER);
    assertThat(progress.bound()).isEqualTo(HlcTimestamp.MIN_PACKED);
  }

  @Test
  void completeAsOf_partitionReadToItsEnd_isTheInstantBeforeTheQuestion() {
    assign(state(100, 10, 0), 10, 0);
    assertThat(progress.completeAsOfNanos()).isEqualTo(100);
    assertThat(progress.bound()).isEqualTo(HlcTimestamp.MIN_PACKED);
    now = 1_100;
    assertThat(progress.bound()).isEqualTo(HlcTimestamp.MAX_PACKED);
  }

  @Test
  void completeAsOf_recordsThatWait_isTheQuestionWhoseEndIsReached() {
    assign(state(100, 10, 5), 0, 5);
    assertThat(progress.completeAsOfNanos()).isEqualTo(Inflow.NEVER);
    // Later ends do not move the goal, because with a steady flow it would never be reached.
    progress.probed(state(200, 20, 5));
    progress.probed(state(300, 30, 5));
    assertThat(progress.lagCount()).isEqualTo(30);
    progress.stored(0, 9);
    assertThat(progress.completeAsOfNanos()).isEqualTo(Inflow.NEVER);
    progress.stored(0, 10);
    assertThat(progress.completeAsOfNanos()).isEqualTo(100);
    progress.probed(state(400, 30, 5));
    progress.stored(0, 30);
    assertThat(progress.completeAsOfNanos()).isEqualTo(400);
    assertThat(progress.lagCount()).isZero();
  }

  @Test
  void bound_partitionThatIsBehind_isItsLastPromise() {
    assign(state(100, 10, 10), 10, 10);
    progress.promised(0, HlcTimestamp.pack(70));
    progress.promised(1, HlcTimestamp.pack(60));
    now = 100 + IDLE;
    assertThat(progress.bound()).isEqualTo(HlcTimestamp.MAX_PACKED);
    now++;
    assertThat(progress.bound()).isEqualTo(HlcTimestamp.pack(60));
    // Partition 1 has been read to its end meanwhile, partition 0 has not.
    progress.probed(state(now, 11, 10));
    assertThat(progress.bound()).isEqualTo(HlcTimestamp.pack(70));
  }

  @Test
  void probed_otherTopicOfTheSameName_countsForNothingUntilItIsRead() {
    assign(state(100, 10, 10), 10, 10);
    TopicState other =
        new TopicState(new Uuid(2, 2), Map.of(0, 0L, 1, 0L), Map.of(0, 3L, 1, 0L), 500);
    progress.probed(other);
    assertThat(progress.completeAsOfNanos()).isEqualTo(100);
    assertThat(progress.isAssigned(other)).isFalse();
    assertThat(progress.next(other.id())).isEmpty();

    progress.assigned(other, Map.of(0, new Reached(0, -1), 1, new Reached(0, -1)));
    assertThat(progress.completeAsOfNanos()).isEqualTo(100);
    progress.stored(0, 3);
    assertThat(progress.completeAsOfNanos()).isEqualTo(500);
  }

  @Test
  void assigned_partitionAdded_neverTakesBackWhatWasComplete() {
    assign(state(100, 10, 10), 10, 10);
    TopicState grown =
        new TopicState(TOPIC, Map.of(0, 0L, 1, 0L, 2, 0L), Map.of(0, 10L, 1, 10L, 2, 7L), 400);
    progress.assigned(
        grown, Map.of(0, new Reached(10, -1), 1, new Reached(10, -1), 2, new Reached(0, -1)));
    assertThat(progress.completeAsOfNanos()).isEqualTo(100);
    progress.stored(2, 7);
    assertThat(progress.completeAsOfNanos()).isEqualTo(400);
  }

  private void assign(TopicState state, long next0, long next1) {
    progress.assigned(state, Map.of(0, new Reached(next0, -1), 1, new Reached(next1, -1)));
  }

  private static TopicState state(long queriedNanos, long end0, long end1) {
    return new TopicState(TOPIC, Map.of(0, 0L, 1, 0L), Map.of(0, end0, 1, end1), queriedNanos);
  }
}
