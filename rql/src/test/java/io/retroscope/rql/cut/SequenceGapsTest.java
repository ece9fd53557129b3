// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.cut;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.rql.cut.EventSource.Gap;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class SequenceGapsTest {
  private final SequenceGaps gaps = new SequenceGaps("a", SequenceGaps.State.EMPTY);

  @Test
  void gaps_ofNumbersInAnyOrder_areTheMissingOnesBetweenTheFirstAndTheLast() {
    long seed = Long.getLong("rql.seed", 20261121);
    Random random = new Random(seed);
    for (int round = 0; round < 200; round++) {
      TreeSet<Long> numbers = new TreeSet<>();
      for (int i = 0; i < 60; i++) {
        numbers.add(5L + random.nextInt(90));
      }
      SequenceGaps found = new SequenceGaps("a", SequenceGaps.State.EMPTY);
      List<Long> mixed = new ArrayList<>(numbers);
      Collections.shuffle(mixed, random);
      for (long number : mixed) {
        found.seen(number, number, 10 * number, 10 * number);
        found = new SequenceGaps("a", found.state());
      }
      List<Gap> expected = new ArrayList<>();
      for (long number : numbers) {
        Long next = numbers.higher(number);
        if (next != null && next > number + 1) {
          expected.add(new Gap("a", new HlcRange(10 * number, 10 * next), next - number - 1));
        }
      }
      assertThat(found.gaps()).as("seed %d, round %d", seed, round).isEqualTo(expected);
    }
  }

  @Test
  void seen_ofAStretch_closesTheHolesWithin() {
    gaps.seen(1, 1, 10, 10);
    gaps.seen(4, 4, 40, 40);
    gaps.seen(8, 9, 80, 90);
    gaps.seen(2, 5, 20, 50);
    assertThat(gaps.gaps()).containsExactly(new Gap("a", new HlcRange(50, 80), 2));
  }

  @Test
  void gaps_ofThreadsThatOvertakeEachOther_spanBothNeighbours() {
    gaps.seen(1, 1, 30, 30);
    gaps.seen(3, 3, 20, 20);
    assertThat(gaps.gaps()).containsExactly(new Gap("a", new HlcRange(20, 30), 1));
  }

  @Test
  void started_afterItsEvents_takesThemOver() {
    gaps.seen(1, 3, 10, 30);
    gaps.seen(50, 60, 150, 160);
    gaps.started(100, "second");
    assertThat(gaps.gaps()).containsExactly(new Gap("a", new HlcRange(100, 150), 49));
    gaps.seen(1, 49, 101, 149);
    assertThat(gaps.gaps()).isEmpty();
  }

  @Test
  void started_again_asTheSameIncarnation_continuesCounting() {
    gaps.started(10, "one");
    gaps.seen(1, 3, 20, 30);
    gaps.started(35, "one");
    gaps.seen(4, 5, 40, 50);
    assertThat(gaps.gaps()).isEmpty();
  }

  @Test
  void assigned_beyondTheLastEvent_isAGapUntilThatNumberComes() {
    gaps.seen(1, 3, 10, 30);
    gaps.assigned(5, 60);
    assertThat(gaps.gaps()).containsExactly(new Gap("a", new HlcRange(30, 60), 2));
    gaps.seen(6, 6, 70, 70);
    assertThat(gaps.gaps()).containsExactly(new Gap("a", new HlcRange(30, 70), 2));
  }

  @Test
  void gaps_moreThanAreKept_areReportedAsOne() {
    int count = SequenceGaps.MAX_RUNS + 10;
    for (int i = 0; i < count; i++) {
      gaps.seen(2L * i, 2L * i, 20L * i, 20L * i);
    }
    List<Gap> found = gaps.gaps();
    assertThat(found).hasSize(SequenceGaps.MAX_RUNS);
    assertThat(found.get(0)).isEqualTo(new Gap("a", new HlcRange(0, 200), 10));
    assertThat(found.stream().mapToLong(Gap::eventCount).sum()).isEqualTo(count - 1);
  }
}
