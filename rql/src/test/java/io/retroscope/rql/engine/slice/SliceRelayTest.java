// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.engine.slice;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.state.CutTime;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Tests which items of another process are passed on, and where its slice continues without it. */
class SliceRelayTest {
  private static final HlcRange SLICE = new HlcRange(1, 100);
  private static final Set<String> NODES = Set.of("n1");
  private static final SliceItem HOLDS_AT_5 = holds(5);
  private static final SliceItem ENDS_AT_5 =
      new SliceItem.Ends(
          5, true, new CutTime(5, OptionalLong.empty()), SliceItem.MaybeRow.NONE, NODES);

  private final List<SliceItem> passed = new ArrayList<>();
  private final SliceRelay relay =
      new SliceRelay(
          new SliceFeed() {
            @Override
            void pass(List<SliceItem> items, long bytes) {
              passed.addAll(items);
            }

            @Override
            boolean isAwaited() {
              return true;
            }

            @Override
            boolean isCancelled() {
              return false;
            }

            @Override
            boolean isStopped() {
              return false;
            }
          });

  private static SliceItem holds(long hlc) {
    return new SliceItem.Holds(hlc, false, SliceItem.MaybeRow.NONE, NODES);
  }

  @Test
  void items_ofTheLastCut_waitUntilALaterOneShowsThatTheyAreAll() {
    relay.add(HOLDS_AT_5);
    relay.add(ENDS_AT_5);
    assertThat(passed).isEmpty();
    relay.add(holds(7));
    assertThat(passed).containsExactly(HOLDS_AT_5, ENDS_AT_5);
    relay.end();
    assertThat(passed).containsExactly(HOLDS_AT_5, ENDS_AT_5, holds(7));
  }

  @Test
  void rest_afterSomeCuts_beginsAfterTheLastWholeOne() {
    relay.add(HOLDS_AT_5);
    relay.add(ENDS_AT_5);
    relay.add(new SliceItem.Progress(3, 6));
    relay.add(holds(7));
    assertThat(relay.rest(SLICE)).isEqualTo(new HlcRange(6, 100));
    assertThat(passed)
        .containsExactly(
            HOLDS_AT_5,
            ENDS_AT_5,
            new SliceItem.Progress(3, 6),
            new SliceItem.Finished(5, 0, 5, NODES));
  }

  /** The rest of the slice counts the cuts after the last item again. */
  @Test
  void rest_afterProgress_countsNoCutTwice() {
    relay.add(new SliceItem.Progress(3, 4));
    relay.add(HOLDS_AT_5);
    relay.add(new SliceItem.Progress(9, 50));
    assertThat(relay.rest(SLICE)).isEqualTo(new HlcRange(6, 100));
    assertThat(passed).endsWith(new SliceItem.Finished(5, 3, 5, NODES));
  }

  /** A client would wait in vain for a sign of life from a slice without rows. */
  @Test
  void progress_withoutCuts_isPassedOnAtOnce() {
    relay.add(new SliceItem.Progress(3, 4));
    assertThat(passed).containsExactly(new SliceItem.Progress(3, 4));
    relay.add(HOLDS_AT_5);
    relay.add(ENDS_AT_5);
    relay.add(new SliceItem.Progress(4, 6));
    assertThat(passed)
        .containsExactly(
            new SliceItem.Progress(3, 4), HOLDS_AT_5, ENDS_AT_5, new SliceItem.Progress(4, 6));
  }

  @Test
  void rest_beforeTwoCuts_isTheSlice() {
    assertThat(relay.rest(SLICE)).isEqualTo(SLICE);
    relay.add(HOLDS_AT_5);
    relay.add(ENDS_AT_5);
    assertThat(relay.rest(SLICE)).isEqualTo(SLICE);
    assertThat(passed).isEmpty();
  }
}
