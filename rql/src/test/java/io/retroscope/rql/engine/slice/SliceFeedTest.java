// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine.slice;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.event.Value;
import io.retroscope.rql.cut.state.CutTime;
import io.retroscope.rql.diagnostic.ErrorCode;
import io.retroscope.rql.engine.run.CutRow;
import io.retroscope.rql.evaluation.EvaluationException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Tests the sizes of batches, and which items a feed joins. */
class SliceFeedTest {
  private static final Set<String> NODES = Set.of("n1");

  private final Batches batches = new Batches();

  @Test
  void add_ofManyItems_passesThemInSmallBatches() {
    for (int i = 0; i < 1_000; i++) {
      batches.add(new SliceItem.Progress(i, i));
    }
    batches.flush();
    assertThat(batches.sizes).hasSizeGreaterThanOrEqualTo(4);
    assertThat(batches.items).hasSize(1_000);
  }

  @Test
  void add_ofLargeItems_passesEachAtOnce() {
    String text = "x".repeat((int) SliceFeed.MAX_BATCH_BYTES);
    batches.add(holds(Value.of(text)));
    assertThat(batches.sizes).containsExactly(1);
    assertThat(batches.bytes.get(0)).isGreaterThan(2 * SliceFeed.MAX_BATCH_BYTES);
    batches.add(new SliceItem.Fails(1, failure(text), NODES));
    assertThat(batches.sizes).containsExactly(1, 1);
    assertThat(batches.bytes.get(1)).isGreaterThan(2 * SliceFeed.MAX_BATCH_BYTES);
    SliceItem.MaybeRow none = new SliceItem.MaybeRow(null, failure(text));
    batches.add(new SliceItem.Ends(1, false, time(), none, NODES));
    assertThat(batches.sizes).containsExactly(1, 1, 1);
  }

  @Test
  void add_ofItemsWithManyNodes_countsEachSetOnce() {
    Set<String> many = IntStream.range(0, 3_000).mapToObj(i -> "n" + i).collect(Collectors.toSet());
    Set<String> others = Set.copyOf(many.stream().limit(2_999).toList());
    for (int i = 0; i < 10; i++) {
      batches.add(new SliceItem.Fails(i, failure("f"), many));
    }
    assertThat(batches.sizes).as("one set").isEmpty();
    batches.add(new SliceItem.Fails(11, failure("f"), others));
    assertThat(batches.sizes).as("two sets").containsExactly(11);
  }

  @Test
  void add_ofCutsAtWhichWhenStillHolds_joinsThoseWithTheSameNodes() {
    Set<String> others = Set.of("n2");
    batches.add(new SliceItem.StillHolds(5, 2, NODES));
    batches.add(new SliceItem.StillHolds(7, 3, NODES));
    batches.add(new SliceItem.StillHolds(9, 1, others));
    batches.flush();
    assertThat(batches.items)
        .containsExactly(
            new SliceItem.StillHolds(7, 5, NODES), new SliceItem.StillHolds(9, 1, others));
  }

  @Test
  void add_whileTheQueryWaits_passesEachItemAtOnce() {
    batches.isAwaited = true;
    batches.add(new SliceItem.Progress(1, 1));
    batches.add(new SliceItem.Progress(2, 2));
    assertThat(batches.sizes).containsExactly(1, 1);
  }

  private static SliceItem holds(Value value) {
    CutRow row = new CutRow(1, 0, time(), List.of(value), Optional.empty(), new TreeSet<>());
    return new SliceItem.Holds(1, false, new SliceItem.MaybeRow(row, null), NODES);
  }

  private static CutTime time() {
    return new CutTime(0, OptionalLong.empty());
  }

  private static EvaluationException failure(String what) {
    return new EvaluationException(ErrorCode.TOO_MANY_OUTER_ROWS, 1, what);
  }

  /** Keeps all items that are passed on. */
  private static final class Batches extends SliceFeed {
    private final List<SliceItem> items = new ArrayList<>();
    private final List<Integer> sizes = new ArrayList<>();
    private final List<Long> bytes = new ArrayList<>();
    private boolean isAwaited;

    @Override
    void pass(List<SliceItem> passed, long passedBytes) {
      items.addAll(passed);
      sizes.add(passed.size());
      bytes.add(passedBytes);
    }

    @Override
    boolean isAwaited() {
      return isAwaited;
    }

    @Override
    boolean isCancelled() {
      return false;
    }

    @Override
    boolean isStopped() {
      return false;
    }
  }
}
